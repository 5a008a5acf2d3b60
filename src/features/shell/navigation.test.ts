import { expect, test } from 'vitest'
import { navigationOf } from './navigation.ts'

const shown = (role: 'operator' | 'guest') =>
  navigationOf(role).map(({ id, places }) => [id, places.map((place) => place.id)])

test('a guest has the notes first and no groups, an operator what waits first', () => {
  expect(shown('guest')).toEqual([[null, ['notes', 'proposals', 'artifacts']]])
  expect(shown('operator').slice(0, 2)).toEqual([
    ['decide', ['inbox', 'proposals']],
    ['work', ['runs', 'jobs', 'tasks', 'artifacts', 'agents']],
  ])
})
