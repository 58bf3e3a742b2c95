# Outside libraries whose targets differ between the ordinary build, which shares Debian's, and the portable one
# (ADARUN_PORTABLE), in which all of them are static. Each has one home, whose CMakeLists.txt names its target here:
#
#   adarun_spdlog    base/log
#   adarun_libssh    launcher/transport/ssh
#   adarun_httplib   monitor/web
#
# The others are found where they are used, and are static by the suffix.
add_library(adarun_spdlog INTERFACE)
add_library(adarun_libssh INTERFACE)
add_library(adarun_httplib INTERFACE)

if(NOT ADARUN_PORTABLE)
  find_package(spdlog REQUIRED)
  find_package(libssh REQUIRED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)
  target_link_libraries(adarun_spdlog INTERFACE spdlog::spdlog)
  target_link_libraries(adarun_libssh INTERFACE ssh)
  target_link_libraries(adarun_httplib INTERFACE PkgConfig::HTTPLIB)
  return()
endif()

# Debian has no static spdlog, fmt and cpp-httplib: their headers hold all of them. That of cpp-httplib is the one of its
# source package (scripts/portable).
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_path(ADARUN_OPENSSL_INCLUDE openssl/opensslconf.h REQUIRED) # of the processor
target_include_directories(OpenSSL::Crypto INTERFACE ${ADARUN_OPENSSL_INCLUDE})
find_path(ADARUN_SPDLOG_INCLUDE spdlog/spdlog.h REQUIRED)
find_path(ADARUN_LIBSSH_INCLUDE libssh/libssh.h REQUIRED)
find_library(ADARUN_LIBSSH ssh REQUIRED)
find_path(ADARUN_HTTPLIB_INCLUDE httplib.h PATH_SUFFIXES httplib REQUIRED)
target_include_directories(adarun_spdlog SYSTEM INTERFACE ${ADARUN_SPDLOG_INCLUDE})
target_compile_definitions(adarun_spdlog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
target_include_directories(adarun_httplib SYSTEM INTERFACE ${ADARUN_HTTPLIB_INCLUDE})
target_compile_definitions(adarun_httplib INTERFACE CPPHTTPLIB_USE_POLL)

add_library(adarun_static_libssh STATIC ${CMAKE_SOURCE_DIR}/launcher/transport/ssh/static_libssh.c)
target_link_libraries(adarun_static_libssh PRIVATE OpenSSL::Crypto)
add_library(ssh STATIC IMPORTED)
set_target_properties(ssh PROPERTIES IMPORTED_LOCATION ${ADARUN_LIBSSH} INTERFACE_INCLUDE_DIRECTORIES ${ADARUN_LIBSSH_INCLUDE})
target_link_libraries(ssh INTERFACE adarun_static_libssh OpenSSL::Crypto ZLIB::ZLIB)
target_link_libraries(adarun_libssh INTERFACE ssh)
