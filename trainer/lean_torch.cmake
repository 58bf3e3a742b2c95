# Debian's libtorch is linked to libraries that it never calls: OpenCV, FFmpeg and others, for parts that are not built.
# They depend on 220 more, and each rank would load and initialise them all at its start. Empty libraries with the same
# names, in a folder that our programs search first, replace them.

# adarun_lean_torch(INTERFACE_TARGET LIBRARY): programs that link INTERFACE_TARGET load LIBRARY without them.
function(adarun_lean_torch target library)
  # Of the libraries that the loader reports as unused, only those that no other library may need.
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
  # DT_RPATH instead of DT_RUNPATH, as it also applies to indirect dependencies. Not relative to the program: a copy of it would
  # take libraries from a folder that may be another user's.
  target_link_options(${target} INTERFACE LINKER:--disable-new-dtags LINKER:-rpath,${CMAKE_BINARY_DIR}/lib/stand_ins)
endfunction()
