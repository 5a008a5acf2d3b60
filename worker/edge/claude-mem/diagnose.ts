import fs from 'node:fs'
import path from 'node:path'
import type { Host } from '../host.ts'
import { bunMismatch, findBun } from './bun.ts'
import { metadataFile, newestCached, type PluginMetadata, readPluginMetadata } from './plugin.ts'

/**
 * Why the hooks of claude-mem fail on a node: four causes, each with a code and what to do [edge#diagnose].
 *
 * Everything is looked at, nothing is written. A check that cannot be made, because what it looks at is missing, is part of
 * the finding that says so.
 */
export type DiagnosisCode = 10 | 11 | 12 | 13
export type DiagnosisCheck = {
  code: DiagnosisCode
  name: string
  /** What was found; `ok` checks say what was looked at. */
  message: string
  ok: boolean
  advice: string | null
}

export async function diagnose(host: Host): Promise<DiagnosisCheck[]> {
  const metadata = readPluginMetadata(host)
  const bun = findBun(host)
  const mismatch = bun === null ? null : await bunMismatch(bun, host)
  return [
    checkMetadata(host, metadata),
    bun === null
      ? finding(
          11,
          'runtime',
          'no bun in PATH or ~/.bun/bin',
          'install bun (https://bun.sh), then start claude again',
        )
      : passed(11, 'runtime', `bun is ${bun}`),
    mismatch !== null
      ? finding(12, 'architecture', mismatch, 'install the build of bun for this machine over it')
      : passed(
          12,
          'architecture',
          bun === null ? 'not checked, there is no bun' : `bun runs on ${host.machine}`,
        ),
    checkRunner(metadata),
  ]
}

const REINSTALL = 'reinstall the plugin: /plugin install claude-mem'

function checkMetadata(host: Host, metadata: PluginMetadata): DiagnosisCheck {
  const name = 'plugin metadata'
  const file = metadataFile(host.home)
  if (metadata.state === 'listed' && metadata.isFolder)
    return passed(10, name, `the plugin is in ${metadata.installPath}`)
  const cached = newestCached(host)
  const advice =
    cached === null
      ? REINSTALL
      : `${REINSTALL}; or back up ${file} and set installPath to ${cached} and version to ${path.basename(cached)}`
  const messages = {
    absent: `${file} does not exist`,
    unreadable: `${file} cannot be read`,
    'not-listed': `${file} does not list claude-mem@thedotmack`,
    listed: metadata.state === 'listed' ? `installPath ${metadata.installPath} is not a folder` : '',
  }
  return finding(10, name, messages[metadata.state], advice)
}

function checkRunner(metadata: PluginMetadata): DiagnosisCheck {
  if (metadata.state !== 'listed') return passed(13, 'runner', 'not checked, no installPath is known')
  const runner = path.join(metadata.installPath, 'scripts/bun-runner.js')
  const present = fs.statSync(runner, { throwIfNoEntry: false })?.isFile() ?? false
  return present
    ? passed(13, 'runner', `the runner is ${runner}`)
    : finding(13, 'runner', `${runner} does not exist`, REINSTALL)
}

const passed = (code: DiagnosisCode, name: string, message: string): DiagnosisCheck => ({
  code,
  name,
  message,
  ok: true,
  advice: null,
})

const finding = (code: DiagnosisCode, name: string, message: string, advice: string): DiagnosisCheck => ({
  code,
  name,
  message,
  ok: false,
  advice,
})
