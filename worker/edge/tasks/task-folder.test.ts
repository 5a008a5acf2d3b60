import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openNodeHome } from '../testing/home-folder.ts'
import { removeLeftFolders } from './task-folder.ts'

test('what a killed node left goes once no task can be using it, and nothing else does', async () => {
  const home = openNodeHome()
  onTestFinished(() => rmSync(home.path(), { recursive: true, force: true }))
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const folders = { 'bloom-task-left': 3, 'bloom-task-used': 1, 'of-somebody-else': 3 }
  for (const [name, hours] of Object.entries(folders)) {
    mkdirSync(home.path(name))
    writeFileSync(home.path(`${name}/definition.md`), 'Write briefly.')
    utimesSync(home.path(name), hoursAgo(hours), hoursAgo(hours))
  }
  await removeLeftFolders(home.path())
  expect(Object.keys(folders).filter((name) => existsSync(home.path(name)))).toEqual([
    'bloom-task-used',
    'of-somebody-else',
  ])
  await removeLeftFolders(path.join(home.path(), 'gone'))
})
