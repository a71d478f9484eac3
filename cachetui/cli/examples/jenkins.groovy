// Jenkinsfile: check the lock file of this repository, and report the changes each night.
pipeline {
  agent { docker { image 'python:3.12-slim'; args '-u root' } }
  triggers { cron('H 3 * * *') }
  environment {
    CACHE = 'https://mirror.example.org/spack'  // a build cache: its URL, or a folder that the agent sees
    LOCK = 'spack.lock'
    PACKAGE = 'cachetui'  // the argument of pip install: a name, a wheel, the URL of a repository
    CACHETUI_HISTORY = '.cachetui/history'  // the snapshots; the workspace keeps the folder from night to night
  }
  stages {
    stage('install') {
      steps { sh 'pip install "$PACKAGE"' }
    }
    // The build fails with status 1 if a spec of the lock file has no binary.
    stage('lock gate') {
      when { not { triggeredBy 'TimerTrigger' } }
      steps { sh 'cachetui check "$LOCK" -C "$CACHE" --format junit > check.xml' }
      post { always { junit 'check.xml' } }
    }
    // The build fails if the cache has a new error, or if a root broke since the night before.
    stage('nightly report') {
      when { triggeredBy 'TimerTrigger' }
      steps {
        sh 'mkdir -p .cachetui && chmod -R go-w .cachetui'
        sh 'cachetui record -C "$CACHE" --keep 90d,52w'
        sh 'cachetui report -C "$CACHE" "$LOCK" --since 1d --format html > report.html'
        sh 'cachetui stacks -C "$CACHE" --format html > stacks.html'
        sh 'cachetui stacks -C "$CACHE" --format prometheus > metrics.prom'
        sh 'cachetui check --all -C "$CACHE" --format prometheus >> metrics.prom || [ $? -eq 1 ]'
        sh 'test ! -e .cachetui/night.json || mv .cachetui/night.json .cachetui/before.json'
        sh 'cachetui check --all -C "$CACHE" --format json > .cachetui/night.json || [ $? -eq 1 ]'
        sh 'test -e .cachetui/before.json || cp .cachetui/night.json .cachetui/before.json'
        sh 'cachetui check --all -C "$CACHE" --baseline .cachetui/before.json --format junit > check.xml'
        sh 'cachetui report -C "$CACHE" "$LOCK" --since 1d --exit-code'
      }
      post { always { archiveArtifacts 'report.html, stacks.html, metrics.prom'; junit 'check.xml' } }
    }
  }
}
