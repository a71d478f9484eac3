// Jenkinsfile: a gate for the lock of this repository, and a report each night.
pipeline {
  agent { docker { image 'python:3.12-slim'; args '-u root' } }
  triggers { cron('H 3 * * *') }
  environment {
    CACHE = 'https://mirror.example.org/spack'  // a build cache: its URL, or a folder that the agent sees
    LOCK = 'spack.lock'
    PACKAGE = 'cachetui'  // what pip installs: a name, a wheel, the URL of a repository
  }
  stages {
    stage('install') {
      steps { sh 'pip install "$PACKAGE"' }
    }
    // The build fails, by status 1, where something of the lock would not come from binaries.
    stage('lock gate') {
      when { not { triggeredBy 'TimerTrigger' } }
      steps { sh 'cachetui check "$LOCK" -C "$CACHE" --format junit > check.xml' }
      post { always { junit 'check.xml' } }
    }
    // Status 1, something is wrong, stands in the report; status 2, nothing could be read, fails the build.
    stage('nightly report') {
      when { triggeredBy 'TimerTrigger' }
      steps {
        sh 'cachetui check --all -C "$CACHE" --format html > report.html || [ $? -eq 1 ]'
        sh 'cachetui doctor -C "$CACHE" --format junit > doctor.xml || [ $? -eq 1 ]'
      }
      post { always { archiveArtifacts 'report.html'; junit testResults: 'doctor.xml', allowEmptyResults: true } }
    }
  }
}
