# Installs the engine as components `adasum` and, with MPI, `adasum_mpi`: static libraries for CMake (adasum::adasum,
# adasum::mpi), and shared libraries of the same objects, for C, pkg-config and other languages (libadasum.so, libadasum_mpi.so).
# Component `python` is the Python package `adasum`, which loads libadasum.so. The last two bring the examples.
include(CMakePackageConfigHelpers)

target_include_directories(adasum INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(adasum PUBLIC cxx_std_20)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adasum)
set(examples ${PROJECT_SOURCE_DIR}/examples)
file(RELATIVE_PATH UP_FROM_PKGCONFIG /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

# install_library(TARGET LIBRARY...): as a component of its name, TARGET for CMake, its objects as a shared library that links
# LIBRARY..., and TARGET.pc.
function(install_library target)
  add_library(${target}_shared SHARED $<TARGET_OBJECTS:${target}>)
  target_link_libraries(${target}_shared PRIVATE ${ARGN})
  set_target_properties(${target}_shared PROPERTIES OUTPUT_NAME ${target} VERSION ${PROJECT_VERSION} SOVERSION 0)
  adarun_search_paths(${target}_shared)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${target}.pc.in ${target}.pc @ONLY)
  install(TARGETS ${target} EXPORT ${target} COMPONENT ${target})
  install(TARGETS ${target}_shared COMPONENT ${target})
  install(EXPORT ${target} FILE ${target}Targets.cmake NAMESPACE adasum:: DESTINATION ${package_dir} COMPONENT ${target})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${target})
endfunction()

install_library(adasum hwy::hwy PkgConfig::sodium Threads::Threads)
install(FILES c/adasum.h TYPE INCLUDE COMPONENT adasum)

# For wheels, the same objects for machines that have neither libsodium nor this libstdc++ nor this glibc: ADASUM_LIBC is a folder with an
# older one. Only the functions of adasum.h can be seen; libhwy lies beside it.
if(ADASUM_LIBC)
  find_library(ADASUM_STATIC_SODIUM libsodium.a REQUIRED)
  add_library(adasum_wheel SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:adasum> old_glibc.c)
  target_link_libraries(adasum_wheel PRIVATE hwy::hwy ${ADASUM_STATIC_SODIUM} Threads::Threads -lpthread)
  target_link_options(adasum_wheel PRIVATE --sysroot=${ADASUM_LIBC} -L${ADASUM_LIBC}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
                      -L${ADASUM_LIBC}/lib/${CMAKE_LIBRARY_ARCHITECTURE} -static-libstdc++ -s LINKER:--gc-sections LINKER:-z,defs
                      LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/adasum_wheel.map)
  set_target_properties(adasum_wheel PROPERTIES OUTPUT_NAME adasum SOVERSION 0 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/wheel
                                                BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH \$ORIGIN)
endif()

if(ADARUN_TRAINER)
  set_target_properties(adasum_mpi PROPERTIES EXPORT_NAME mpi)
  install_library(adasum_mpi adasum_shared MPI::MPI_CXX)
  set_target_properties(adasum_mpi_shared PROPERTIES INSTALL_RPATH \$ORIGIN) # libadasum.so is beside it.
  install(FILES c/adasum_mpi.h TYPE INCLUDE COMPONENT adasum_mpi)
  install(FILES ${examples}/adasum/CMakeLists.txt ${examples}/adasum/allreduce.c ${examples}/adasum/allreduce.cpp
                ${examples}/adasum/allreduce.py
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libadasum-mpi-dev/examples COMPONENT adasum_mpi)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/adasumConfig.cmake.in adasumConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(adasumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/adasumConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/adasumConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT adasum)
install(DIRECTORY . DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/adasum COMPONENT adasum FILES_MATCHING PATTERN "*.h"
        PATTERN "mpi_*.h" EXCLUDE PATTERN c EXCLUDE PATTERN python EXCLUDE)
if(ADARUN_TRAINER)
  install(DIRECTORY communicators DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/adasum COMPONENT adasum_mpi
          FILES_MATCHING PATTERN "mpi_*.h")
endif()

# The same package is in build/.../python, with the path of the library of this build.
set(package ${PROJECT_SOURCE_DIR}/adasum/python/adasum)
set(built_package ${CMAKE_BINARY_DIR}/python/adasum)
if(IS_SYMLINK ${CMAKE_BINARY_DIR}/python) # as earlier versions made it
  file(REMOVE ${CMAKE_BINARY_DIR}/python)
endif()
file(MAKE_DIRECTORY ${built_package})
file(GLOB python_files CONFIGURE_DEPENDS ${package}/*.py ${package}/py.typed)
list(FILTER python_files EXCLUDE REGEX "/location[.]py$")
foreach(file IN LISTS python_files)
  cmake_path(GET file FILENAME name)
  file(CREATE_LINK ${file} ${built_package}/${name} SYMBOLIC)
endforeach()
file(CONFIGURE OUTPUT ${built_package}/location.py
     CONTENT "# Made by cmake/install_adasum.cmake.\nLIBRARY = \"${CMAKE_CURRENT_BINARY_DIR}/libadasum.so.0\"\n")
install(DIRECTORY ${package} DESTINATION lib/python3/dist-packages COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN __pycache__ EXCLUDE)
install(FILES ${examples}/pytorch/elastic.py ${examples}/pytorch/train.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-adasum/examples COMPONENT python)
