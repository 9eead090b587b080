# Installs the library into an empty folder, builds the example against that alone, and runs it.
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed (${code}):\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

if(SANITIZE)
  set(FLAGS "${FLAGS} -fsanitize=${SANITIZE}")
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component library)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/example_recommend 7e9)
if(NOT text MATCHES "GiB per card")
  message(FATAL_ERROR "the example says:\n${text}")
endif()
