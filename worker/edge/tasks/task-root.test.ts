import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { makeNodeHome } from '../testing/node-home.ts'
import { taskRoot } from './task-root.ts'

test('a task works in the folder of its project, but in no home, above none, and in none of its private folders', async () => {
  const home = makeNodeHome()
  for (const name of ['garden/notes', '.claude/projects', '.claude-mem-minio', '.worktrees'])
    fs.mkdirSync(home.path(name), { recursive: true })
  fs.symlinkSync(home.path(), home.path('garden/back'))
  const garden = home.path('garden')
  expect(await taskRoot(home.host, garden)).toBe(garden)
  expect(await taskRoot(home.host, home.path('garden/notes'))).toBe(home.path('garden/notes'))
  expect(await taskRoot(home.host, home.path('.worktrees'))).toBe(home.path('.worktrees'))
  for (const root of [
    ...[null, home.path(), `${home.path()}/`, path.dirname(home.path()), '/', home.path('garden/back')],
    ...[
      home.path('.claude'),
      home.path('.claude/projects'),
      home.path('.claude-mem-minio'),
      home.path('gone'),
    ],
  ])
    expect([root, await taskRoot(home.host, root)]).toEqual([root, null])
})
