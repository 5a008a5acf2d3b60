import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/**
 * A file system that holds a Node, a shell and the libraries that both load, and nothing else: no /etc, no /proc, no /dev.
 * What runs in it can have no other file.
 */
export function makeBareRoot(folder: string): { path: (...parts: string[]) => string; home: string } {
  const at = (...parts: string[]) => path.join(folder, ...parts)
  for (const name of ['bin', 'home', 'tmp', 'opt']) fs.mkdirSync(at(name), { recursive: true })
  const programs = { node: process.execPath, sh: fs.realpathSync('/bin/sh') }
  for (const [name, program] of Object.entries(programs)) {
    fs.copyFileSync(program, at('bin', name))
    for (const library of librariesOf(program)) {
      fs.mkdirSync(at(path.dirname(library)), { recursive: true })
      fs.copyFileSync(library, at(library))
    }
  }
  return { path: at, home: '/home' }
}

const librariesOf = (program: string): string[] =>
  execFileSync('ldd', [program], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => /(?:=> )?(\/\S+) \(/.exec(line)?.[1] ?? [])

/** Whether this account may open a root of its own, and the machine has what lists a program's libraries. */
export function canOpenBareRoot(): boolean {
  try {
    execFileSync('ldd', [process.execPath], { stdio: 'ignore' })
    return process.platform === 'linux' && process.getuid?.() === 0 && fs.existsSync('/usr/sbin/chroot')
  } catch {
    return false
  }
}
