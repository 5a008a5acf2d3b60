import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { onTestFinished } from 'vitest'

/** Mounts a disk of so many MiB on a folder until the test ends; false where none can be mounted. */
export function mountSmallDisk(folder: string, mebibytes: number): boolean {
  const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder]
  if (process.getuid?.() !== 0 || spawnSync('mount', options).status !== 0) return false
  onTestFinished(() => void execFileSync('umount', [folder]))
  return true
}

/** Takes all the space there is; gives it back. */
export function fill(folder: string): () => void {
  const file = `${folder}/ballast`
  const handle = fs.openSync(file, 'w')
  try {
    for (;;) fs.writeSync(handle, Buffer.alloc(4096))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    fs.closeSync(handle)
  }
  return () => fs.rmSync(file)
}
