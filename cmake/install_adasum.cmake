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
  set_target_properties(${target}_shared PROPERTIES OUTPUT_NAME ${target} VERSION ${PROJECT_VERSION} SOVERSION 0
                                                    INSTALL_RPATH \$ORIGIN)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${target}.pc.in ${target}.pc @ONLY)
  install(TARGETS ${target} EXPORT ${target} COMPONENT ${target})
  install(TARGETS ${target}_shared COMPONENT ${target})
  install(EXPORT ${target} FILE ${target}Targets.cmake NAMESPACE adasum:: DESTINATION ${package_dir} COMPONENT ${target})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${target})
endfunction()

install_library(adasum hwy::hwy PkgConfig::sodium Threads::Threads)
install(FILES c/adasum.h TYPE INCLUDE COMPONENT adasum)
if(ADARUN_TRAINER)
  set_target_properties(adasum_mpi PROPERTIES EXPORT_NAME mpi)
  install_library(adasum_mpi adasum_shared MPI::MPI_CXX)
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
        PATTERN "*-inl.h" EXCLUDE PATTERN "mpi_*.h" EXCLUDE PATTERN c EXCLUDE)
if(ADARUN_TRAINER)
  install(DIRECTORY communicators DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/adasum COMPONENT adasum_mpi
          FILES_MATCHING PATTERN "mpi_*.h")
endif()

# Python finds it in build/.../python too.
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python ${CMAKE_BINARY_DIR}/python SYMBOLIC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/adasum DESTINATION lib/python3/dist-packages COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN __pycache__ EXCLUDE)
install(FILES ${examples}/pytorch/elastic.py ${examples}/pytorch/train.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-adasum/examples COMPONENT python)
