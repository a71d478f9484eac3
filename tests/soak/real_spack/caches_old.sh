# Writes build caches of layout v2, a lock and hashes with an old Spack ($SPACK, a checkout of 0.23)
# into the current folder.
set -e
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
configure
cp -r "$SPACK/var/spack/repos/builtin.mock" repo
sed -i 's/builtin\.mock/builtin_mock/' $(grep -rl 'builtin\.mock' repo)
# this namespace is that of newer versions, which read the caches
echo "repos:: [$PWD/repo]" >cfg/repos.yaml
export SPACK_USER_CONFIG_PATH=$PWD/cfg
spack compiler find --scope user
environment mpi 'specs: [mpileaks ^zmpi]'
spack -e mpi install --fake
spack find --format '{name}-{version} /{hash}' | tee hashes
built=$(sed -n "/^g[cl][ci][bc]*-[0-9]/!s/.* //p" hashes)
spack arch >host
spack buildcache push --unsigned --update-index ./all $built
spack gpg create lab lab@example.org
spack buildcache push --update-index ./signed $built
