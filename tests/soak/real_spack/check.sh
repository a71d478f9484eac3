# Prints 1 if `cachetui check` says yes to the roots; $1 is the Python that has cachetui.
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
export SPACK_USER_CONFIG_PATH=$PWD/cfg
mapfile -t roots <roots
[[ "${roots[0]}" = env* ]] && roots=(./env)
contents=(-C mirrors.yaml)
if [ -d opt/.spack-db ]; then contents+=(-C opt); fi
for each in *.cfg; do [ -d "$each" ] && contents+=(--upstream "${each%.cfg}=$PWD/${each%.cfg}"); done
for each in ask verify; do [ -e "$each" ] && contents+=("--$each"); done
"$1" -m cachetui check "${contents[@]}" --fits "$(command cat "$BASE/host")" "${roots[@]}" 2>&1 && echo 1 || echo 0
