# Debian packages, one per component: cpack --preset release writes them to build/release/packages.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME adarun)
set(CPACK_PACKAGE_VENDOR adarun)
set(CPACK_PACKAGE_CONTACT "The adarun maintainers <maintainers@adarun.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL adarun adasum python)
if(ADARUN_TRAINER)
  list(APPEND CPACK_COMPONENTS_ALL trainer adasum_mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/adasum)  # libadasum_mpi.so needs libadasum.so
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_COMPONENT_ADARUN_DESCRIPTION
    "Rank tables, launching over SSH and Slurm, logs and loss of training jobs\n\
Runs a program as every rank of a job on many nodes, and watches it.\nNeeds neither MPI nor libtorch.")
set(CPACK_DEBIAN_ADARUN_PACKAGE_NAME adarun)
set(CPACK_DEBIAN_ADARUN_PACKAGE_SUGGESTS "adarun-trainer, openssh-server, bash-completion")

set(CPACK_COMPONENT_TRAINER_DESCRIPTION
    "Trainer whose gradients are combined by AdaSum\nWhat adarun train and adarun demo run as every rank, on libtorch.")
set(CPACK_DEBIAN_TRAINER_PACKAGE_NAME adarun-trainer)
set(CPACK_DEBIAN_TRAINER_PACKAGE_DEPENDS "adarun (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TRAINER_PACKAGE_SUGGESTS openssh-server)

set(CPACK_COMPONENT_ADASUM_DESCRIPTION
    "AdaSum of the tensors of all ranks of a job, over sockets\nThe library, for C, C++ and what loads shared libraries.")
set(CPACK_DEBIAN_ADASUM_PACKAGE_NAME libadasum-dev)
set(CPACK_DEBIAN_ADASUM_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_ADASUM_PACKAGE_DEPENDS "libhwy-dev, libsodium-dev, pkg-config")  # adasumConfig.cmake asks for libsodium

set(CPACK_COMPONENT_ADASUM_MPI_DESCRIPTION "AdaSum of the tensors of all ranks of an MPI communicator\nWhat libadasum-dev lacks for MPI.")
set(CPACK_DEBIAN_ADASUM_MPI_PACKAGE_NAME libadasum-mpi-dev)
set(CPACK_DEBIAN_ADASUM_MPI_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_ADASUM_MPI_PACKAGE_DEPENDS "libadasum-dev (= ${PROJECT_VERSION}), libopenmpi-dev")

set(CPACK_COMPONENT_PYTHON_DESCRIPTION "AdaSum for PyTorch's DistributedDataParallel, in two lines")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-adasum)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libadasum-dev (= ${PROJECT_VERSION}), python3")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-torch)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/python3-adasum/postinst
                                              ${CMAKE_CURRENT_LIST_DIR}/python3-adasum/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)

install(FILES README.md README.zh.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/adarun COMPONENT adarun)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/adarun COMPONENT adarun)
install(DIRECTORY examples/grafana DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/adarun/examples COMPONENT adarun)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} name)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME} RENAME copyright
          COMPONENT ${component})
endforeach()
include(CPack)
