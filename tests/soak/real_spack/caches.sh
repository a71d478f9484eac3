# Writes build caches, locks and hashes with real Spack ($SPACK, a checkout) into the current folder.
# The packages are those of Spack's own tests, installed with --fake: they are tiny and need no network.
set -e
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
configure
cat >cfg/repos.yaml <<END
repos:
  builtin:: $(echo "$SPACK"/var/spack/test_repos/spack_repo/builtin_mock)
END
version=$(gcc -dumpfullversion)
cat >cfg/packages.yaml <<END
packages:
  gcc:
    externals:
    - spec: gcc@$version languages:='c,c++'
      prefix: /usr
      extra_attributes: {compilers: {c: /usr/bin/gcc, cxx: /usr/bin/g++}}
END
export SPACK_USER_CONFIG_PATH=$PWD/cfg
environment lab 'specs: [mpileaks ^zmpi, splice-t, diamond-link-top, dttop, libelf@0.8.12]|concretizer: {unify: false}'
spack -D lab install --fake
environment old 'specs: ["splice-t ^splice-h@1.0.0 ^splice-z@1.0.0"]'
spack -D old install --fake
environment mpi 'specs: [mpileaks ^zmpi]'
environment t 'specs: [splice-t]'
environment tops 'specs: [dttop, diamond-link-top]'
for each in mpi t tops; do spack -D $each concretize; done
spack find --format '{name}-{version} /{hash}' | tee hashes
built=$(sed -n "/^g[cl][ci][bc]*-[0-9]/!s/.* //p" hashes)
spack arch >host
spack buildcache push --unsigned --update-index ./all $built
spack gpg create lab lab@example.org
spack buildcache push --update-index ./signed $built
environment splice "specs: [splice-t]|concretizer: {splice: {explicit: [{target: splice-h, replacement: splice-h@1.0.0/$(hash splice-h-1.0.0), transitive: false}]}}"
spack -D splice concretize
environment targets 'specs: [libelf@0.8.10 target=x86_64_v2, "pkg-c target=zen5"]|concretizer: {unify: false, targets: {host_compatible: false}}'
spack -D targets install --fake
spack -D targets buildcache push --unsigned --update-index "$PWD/targets-only"
