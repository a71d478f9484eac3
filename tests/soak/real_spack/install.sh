# Prints 1 if `spack install --cache-only` installs the roots.
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
export SPACK_USER_CONFIG_PATH=$PWD/cfg
cat >judge <<'END'
import sys
import spack.environment, spack.main, spack.store
install = spack.main.SpackCommand("install")
print(install("--cache-only", *sys.argv[1:], fail_on_error=False), install.error)
env = spack.environment.active_environment()
query = spack.store.STORE.db.query
roots = env.concrete_roots() if env else [spec for word in sys.argv[1:] for spec in query(word)]
needed = [node for root in roots for node in root.traverse(deptype=("link", "run")) if not node.external]
missing = [node.name for node in needed if not node.installed]
print(install.returncode, [root.name for root in roots], missing)
# Spack 1.1.0 may end with 0 though it has not installed everything
print(int(install.returncode == 0 and len(roots) > 0 and not missing))
END
mapfile -t roots <roots
[ "${roots[0]}" = env-groups ] && roots=(env-*)
case ${roots[0]} in
env*) for each in "${roots[@]}"; do spack -D "$each" python judge || echo 0; done | tee answers ;;
*) spack python judge "${roots[@]}" | tee answers || echo 0 >answers ;;
esac
grep -qx 0 answers && echo 0 || echo 1
