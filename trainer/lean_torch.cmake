# Debian's libtorch names libraries of which it calls nothing: OpenCV, FFmpeg and others, for parts of it that are not
# built. They bring 220 more, and a rank that starts would load and initialise them all. Empty libraries with their
# names stand in for them, in a folder where our programs look first.

# adarun_lean_torch(INTERFACE_TARGET LIBRARY): programs that link INTERFACE_TARGET load LIBRARY without them.
function(adarun_lean_torch target library)
  # Only what no other library may need, of what the loader says is unused.
  set(wanted "lib(opencv_[a-z0-9]+|avcodec|avformat|avutil|swscale|swresample|lmdb|leveldb|zmq)[.]so[.0-9a-z]+")
  execute_process(COMMAND ldd -u ${library} OUTPUT_VARIABLE unused ERROR_QUIET)
  string(REGEX MATCHALL "${wanted}" names "${unused}")
  if(NOT names)
    return()
  endif()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/nothing.cpp "")
  foreach(name IN LISTS names)
    string(MAKE_C_IDENTIFIER stand_in_${name} stand_in)
    add_library(${stand_in} SHARED ${CMAKE_CURRENT_BINARY_DIR}/nothing.cpp)
    set_target_properties(${stand_in} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX "" NO_SONAME ON
                                                 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/stand_ins)
    target_link_options(${stand_in} PRIVATE -nostdlib LINKER:-soname,${name})
    add_dependencies(${target} ${stand_in})
  endforeach()
  # The older kind of path, which counts for the libraries of libraries too. In a file: no two generators agree on how a
  # dollar gets past them.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/stand_ins.options "--disable-new-dtags -rpath $ORIGIN/../lib/stand_ins\n")
  target_link_options(${target} INTERFACE LINKER:@${CMAKE_CURRENT_BINARY_DIR}/stand_ins.options)
endfunction()
