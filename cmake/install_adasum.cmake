# Installs the engine as component `adasum`: static libraries for CMake (adasum::adasum and, with MPI,
# adasum::mpi), and one shared library with everything, for C, pkg-config and other languages.
include(CMakePackageConfigHelpers)

add_library(adasum_shared SHARED $<TARGET_OBJECTS:adasum> $<TARGET_OBJECTS:adasum_mpi>)
target_link_libraries(adasum_shared PRIVATE hwy::hwy Threads::Threads MPI::MPI_CXX)
set_target_properties(adasum_shared PROPERTIES OUTPUT_NAME adasum VERSION ${PROJECT_VERSION} SOVERSION 0)
set_target_properties(adasum adasum_mpi PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_target_properties(adasum_mpi PROPERTIES EXPORT_NAME mpi)
target_include_directories(adasum INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(adasum PUBLIC cxx_std_20)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adasum)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/adasumConfig.cmake.in adasumConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(adasumConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH UP_FROM_PKGCONFIG /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/adasum.pc.in adasum.pc @ONLY)

install(TARGETS adasum adasum_mpi EXPORT adasum COMPONENT adasum)
install(TARGETS adasum_shared COMPONENT adasum)
install(EXPORT adasum FILE adasumTargets.cmake NAMESPACE adasum:: DESTINATION ${package_dir} COMPONENT adasum)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/adasumConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/adasumConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT adasum)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/adasum.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT adasum)
install(FILES c/adasum.h TYPE INCLUDE COMPONENT adasum)
install(DIRECTORY . DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/adasum COMPONENT adasum FILES_MATCHING PATTERN "*.h"
        PATTERN "*-inl.h" EXCLUDE PATTERN c EXCLUDE)
