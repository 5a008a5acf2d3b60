import { expect, test } from 'vitest'
import { z } from 'zod'
import { newId } from './new-id.ts'

test('it is a UUID of version 4, another one each time', () => {
  const ids = Array.from({ length: 200 }, newId)
  for (const id of ids) expect(z.uuidv4().safeParse(id).success, id).toBe(true)
  expect(new Set(ids).size).toBe(200)
})
