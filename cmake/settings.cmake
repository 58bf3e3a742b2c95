# What every target of ours is compiled with: link `adarun_settings` PRIVATE. Nothing is set globally.
include(GNUInstallDirs)
find_package(Threads REQUIRED)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness lets ccache serve files that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE})
endif()

add_library(adarun_settings INTERFACE)
target_compile_features(adarun_settings INTERFACE cxx_std_20)
target_include_directories(adarun_settings INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(adarun_settings INTERFACE ADARUN_VERSION="${PROJECT_VERSION}")
target_compile_options(adarun_settings INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
                                                 -Woverloaded-virtual $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
if(ADARUN_UNITY)
  # A type of an anonymous namespace within one of ours: in one batch, both are in a file that others include.
  target_compile_options(adarun_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(ADARUN_SANITIZE)
  # Undefined behaviour ends the program, so that the test that met it fails.
  target_compile_options(adarun_settings INTERFACE -fsanitize=${ADARUN_SANITIZE} -fno-sanitize-recover=undefined
                                                   -fno-omit-frame-pointer)
  target_link_options(adarun_settings INTERFACE -fsanitize=${ADARUN_SANITIZE})
endif()

include(${CMAKE_CURRENT_LIST_DIR}/hardening.cmake)

# adarun_target(NAME): our language level, warnings and hardening for one target. Its sources are compiled a dozen at
# a time (ADARUN_UNITY), so that names in anonymous namespaces are one of a kind within a folder.
function(adarun_target name)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD ${ADARUN_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:adarun_settings>)
  adarun_harden(${name})
endfunction()

# adarun_library(NAME FILE...): a static library of ours, its sources listed by hand.
function(adarun_library name)
  add_library(${name} STATIC ${ARGN})
  adarun_target(${name})
endfunction()

# adarun_program(NAME FILE...): a program of ours, in build/<preset>/bin.
function(adarun_program name)
  add_executable(${name} ${ARGN})
  adarun_target(${name})
  adarun_link_as(${name} dynamic)
endfunction()

# adarun_static_program(NAME FILE...): one that brings all its libraries.
function(adarun_static_program name)
  add_executable(${name} ${ARGN})
  adarun_target(${name})
  adarun_link_as(${name} static)
endfunction()
