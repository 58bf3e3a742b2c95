# Hardening options, as far as the compiler has them; docs/security.md lists them and tests/structure/hardening.py
# checks built programs for them. All are off with sanitizers, which find the same flaws and do not work with
# _FORTIFY_SOURCE.
#
# Folders that set ADARUN_HARDEN to OFF are not hardened: the engine, for the speed of its kernels; the trainer, which
# communicates only through MPI; tests.
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)

set(ADARUN_HARDEN ON)
if(ADARUN_SANITIZE)
  set(ADARUN_HARDEN OFF)
endif()

add_library(adarun_hardening INTERFACE)
if(ADARUN_HARDEN)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
    set(branches -fcf-protection)
  elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
    set(branches -mbranch-protection=standard)
  endif()
  foreach(option -fstack-protector-strong -fstack-clash-protection ${branches})
    string(MAKE_C_IDENTIFIER ADARUN_HAS${option} has)
    check_cxx_compiler_flag(${option} ${has})
    if(${has})
      target_compile_options(adarun_hardening INTERFACE ${option})
    endif()
  endforeach()

  # Checks buffer sizes that the compiler knows; it needs optimisation for that.
  string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" flags_of_type)
  if("${CMAKE_CXX_FLAGS} ${${flags_of_type}}" MATCHES "-O[1-9sfg]")
    target_compile_options(adarun_hardening INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()

  target_compile_options(adarun_hardening INTERFACE -fPIE)
  target_link_options(adarun_hardening INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
  check_linker_flag(CXX -static-pie ADARUN_HAS_STATIC_PIE)
endif()

# adarun_harden(TARGET): adds these options to one target.
function(adarun_harden target)
  if(ADARUN_HARDEN)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:adarun_hardening>)
    set_target_properties(${target} PROPERTIES ADARUN_HARDENED ON)
  endif()
endfunction()

# adarun_link_as(PROGRAM dynamic|static): links as position-independent executable (random address) if possible.
function(adarun_link_as program kind)
  if(kind STREQUAL static)
    target_link_options(${program} PRIVATE $<IF:$<BOOL:${ADARUN_HAS_STATIC_PIE}>,-static-pie,-static>)
    if(ADARUN_STATIC_LIBC)
      target_link_options(${program} PRIVATE -B${ADARUN_STATIC_LIBC}/ -L${ADARUN_STATIC_LIBC})
    endif()
  elseif(ADARUN_HARDEN)
    target_link_options(${program} PRIVATE -pie)
  endif()
endfunction()
