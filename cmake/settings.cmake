# Compile options of every target: link `adarun_settings` PRIVATE. Nothing is set globally.
include(GNUInstallDirs)
find_package(Threads REQUIRED)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # With this sloppiness ccache can cache files that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${CCACHE})
endif()

add_library(adarun_settings INTERFACE)
target_compile_features(adarun_settings INTERFACE cxx_std_20)
target_include_directories(adarun_settings INTERFACE ${CMAKE_SOURCE_DIR})
# -pthread, as some libraries ask for it, so that all share precompiled headers.
target_compile_options(adarun_settings INTERFACE -pthread)
# What is released has the same bytes wherever it is built.
target_compile_options(adarun_settings INTERFACE $<$<CONFIG:Release>:-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=>)
target_compile_options(adarun_settings INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
                                                 -Woverloaded-virtual $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
# g++ frees memory less often, and takes a tenth less time; a source file of the trainer takes 1.5 GB in any case.
target_compile_options(adarun_settings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=200> $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
if(ADARUN_UNITY)
  # g++ warns of a type with a member from an anonymous namespace if both are in an included file, as in a unity build.
  target_compile_options(adarun_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(ADARUN_SANITIZE)
  # Undefined behaviour ends the program, so that the test fails.
  target_compile_options(adarun_settings INTERFACE -fsanitize=${ADARUN_SANITIZE} -fno-sanitize-recover=undefined
                                                   -fno-omit-frame-pointer)
  target_link_options(adarun_settings INTERFACE -fsanitize=${ADARUN_SANITIZE})
endif()

include(${CMAKE_CURRENT_LIST_DIR}/hardening.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/precompiled_headers.cmake)

# adarun_target(NAME): our language level, warnings and hardening for one target. Its sources are compiled a dozen at
# a time (ADARUN_UNITY), so names in anonymous namespaces must be unique within a folder.
function(adarun_target name)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD ${ADARUN_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:adarun_settings>)
  adarun_harden(${name})
  cmake_language(EVAL CODE "cmake_language(DEFER CALL adarun_precompile ${name})")
endfunction()

# adarun_cold(NAME): code that runs a few times per command or per second, so that the compiler's time counts more than
# its own: -Og after the flags of the preset. g++ takes 40 % less for CLI11's and JSON's templates with it.
function(adarun_cold name)
  if(CMAKE_CXX_FLAGS MATCHES "-Og" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return() # It has the options of all others, and can share their precompiled headers.
  endif()
  target_compile_options(${name} PRIVATE -Og)
  set_target_properties(${name} PROPERTIES ADARUN_COLD ON)
endfunction()

# adarun_library(NAME FILE...): a static library.
function(adarun_library name)
  add_library(${name} STATIC ${ARGN})
  adarun_target(${name})
endfunction()

# adarun_search_paths(NAME): the folders in which a program or shared library looks for others are the same in the build folder
# and once it is installed. CMake would else make room for the change by colons, and the loader takes what is between two of
# them for the current folder.
function(adarun_search_paths name)
  set_target_properties(${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# adarun_program(NAME FILE...): a program in build/<preset>/bin.
function(adarun_program name)
  add_executable(${name} ${ARGN})
  adarun_target(${name})
  adarun_search_paths(${name})
  adarun_link_as(${name} dynamic)
endfunction()

# adarun_static_program(NAME FILE...): a program with all libraries linked in.
function(adarun_static_program name)
  add_executable(${name} ${ARGN})
  adarun_target(${name})
  adarun_link_as(${name} static)
endfunction()
