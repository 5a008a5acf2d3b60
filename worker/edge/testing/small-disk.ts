import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { onTestFinished, type TestContext } from 'vitest'
import { lacking } from '#server/launch/testing/lacking.ts'

/** Mounts a disk of so many MiB on a folder until the test ends. */
export function mountSmallDisk(context: TestContext, folder: string, mebibytes: number): void {
  const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder]
  if (process.getuid?.() !== 0 || spawnSync('mount', options).status !== 0)
    lacking(context, 'the right to mount a disk')
  onTestFinished(() => void execFileSync('umount', [folder]))
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
