# Prints 1 if `cachetui check` says yes to the roots; $1 is the Python that has cachetui.
export SPACK_USER_CONFIG_PATH=$PWD/cfg SPACK_SYSTEM_CONFIG_PATH=/nonexistent
mapfile -t roots <roots
[ "${roots[0]}" = env ] && roots=(./env)
contents=(-C mirrors.yaml)
if [ -d opt/.spack-db ]; then contents+=(-C opt); fi
if [ -e ask ]; then contents+=(--ask); fi
"$1" -m cachetui check "${contents[@]}" --fits "$(command cat "$BASE/host")" "${roots[@]}" 2>&1 && echo 1 || echo 0
