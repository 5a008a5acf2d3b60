import { describe, expect, test } from 'vitest'
import { obstacleTo } from './new-file.rules.ts'

const THERE = ['Beds/North.md', 'Beds/South/Herbs.md', 'Грядки/Північна.md', 'Café.md', 'link']

describe('what is in the way of a new file', () => {
  test.each([
    ['nothing beside others', 'Beds/East.md', null],
    ['nothing in a new folder', 'Paths/Long/East.md', null],
    ['a name that only begins like another', 'Beds/North', null],
    ['the file itself', 'Beds/North.md', ['file', 'Beds/North.md']],
    ['a folder', 'Beds/South', ['folder', 'Beds/South']],
    ['a folder at the top', 'Beds', ['folder', 'Beds']],
    ['a file instead of its folder', 'Beds/North.md/x.md', ['file_above', 'Beds/North.md']],
    ['a file far above', 'link/a/b/c.md', ['file_above', 'link']],
    ['a file in another case', 'Beds/north.md', ['twin', 'Beds/North.md']],
    ['its folder in another case', 'beds/East.md', ['twin', 'Beds']],
    ['a folder that only differs in case', 'Beds/south', ['twin', 'Beds/South']],
    ['a name in another script, in another case', 'грядки/Нова.md', ['twin', 'Грядки']],
    ['a name in another normal form', 'Cafe\u0301.md', ['twin', 'Café.md']],
  ])('%s', (_, path, found) => {
    const obstacle = obstacleTo(path, THERE)
    expect(obstacle && [obstacle.kind, obstacle.path]).toEqual(found)
  })
})
