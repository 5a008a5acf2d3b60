import { expect, it } from 'vitest'
import { pickLocale } from './locales.ts'

it.each([
  ['uk', 'en', 'uk', 'the cookie wins'],
  ['de', 'uk', 'uk', 'an unknown cookie does not count'],
  [undefined, 'uk-UA,uk;q=0.9,en;q=0.8', 'uk', 'the first language we speak'],
  [undefined, 'de, en;q=0.5, uk;q=0.7', 'uk', 'by weight, not by place'],
  [undefined, 'uk;q=0', 'en', 'a refused language'],
  [undefined, 'fr', 'en', 'none of ours'],
  [undefined, null, 'en', 'nothing asked for'],
  ['<script>', ';;;q=,,', 'en', 'nonsense'],
])(
  'cookie %s, Accept-Language %s → %s: %s',
  (cookie: string | undefined, accept: string | null, expected: string, _why: string) => {
    expect(pickLocale(cookie, accept)).toBe(expected)
  },
)
