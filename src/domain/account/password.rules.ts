/**
 * Which passwords are taken [auth#passwords]: 12 to 128 characters, none of the commonest and nothing made of one. The common ones are
 * short, so what counts here is what people make of them to reach twelve: the word with digits or signs around it, the word twice, with
 * letters written as digits.
 */
import { COMMON_PASSWORDS } from './common-passwords.ts'

export const MIN_PASSWORD = 12
export const MAX_PASSWORD = 128

/** Around a common word this many other characters do not make a password. */
const SMALL_CHANGE = 8

/** Commonest ones of twelve characters and more that the list does not lead to: phrases, and what this product and its language suggest. */
const MORE_WORDS = new Set(
  `administrator adminadmin changeme changemeplease correcthorsebatterystaple gardenbloom garden-bloom ihatepasswords iloveyouforever
  manchesterunited manchester mypassword thisismypassword welcome pokemon liverpool chocolate butterfly secret playstation
  парольпароль пароль йцукен йцукенгшщзхъ йцукенгшщзхї qwertyuiopasdf qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm asdfghjklqwerty
  qwerty12qwerty 1q2w3e4r5t6y7u 1qaz2wsx3edc4rfv zaq12wsxcde3 1a2b3c4d5e6f a1b2c3d4e5f6 abcdefg abcd aa1234567890 112233445566
  123456789101112 1234567891011 987654321012 147258369147 147258369000 123654789000`
    .split(/\s+/)
    .filter(Boolean),
)

/** Why the password is not taken, as a code the console translates; null when it is. Length counts characters. */
export type PasswordFault = 'too_short' | 'too_long' | 'too_common'

export function passwordFault(password: string, name: string): PasswordFault | null {
  const length = [...password].length
  if (length < MIN_PASSWORD) return 'too_short'
  if (length > MAX_PASSWORD) return 'too_long'
  const folded = password.normalize('NFKC').toLowerCase()
  const common = isMadeOfCommon(folded) || isRepetition(folded) || isRun(folded)
  return common || (name.length > 3 && folded.replaceAll(name.toLowerCase(), '').length < 6)
    ? 'too_common'
    : null
}

const isCommon = (word: string): boolean => COMMON_PASSWORDS.has(word) || MORE_WORDS.has(word)

/** The password is a common one, once or several times, with at most a little in front of or behind it. */
function isMadeOfCommon(text: string): boolean {
  const bare = withoutEnds(text)
  return [text, plainLetters(text), bare, withoutEnds(plainLetters(text)), plainLetters(bare)].some(
    (word) => word.length > 3 && text.length - word.length <= SMALL_CHANGE && isCommon(once(word)),
  )
}

/** What is left when digits and signs at both ends are taken away. */
const withoutEnds = (text: string): string => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')

/** The word that the text repeats; the text itself when it repeats none. */
const once = (text: string): string => /^(.{3,}?)(?:[^\p{L}\p{N}]*\1)+$/u.exec(text)?.[1] ?? text

const LETTERS: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}
/** Digits and signs that stand for a letter, read as it. */
const plainLetters = (text: string): string => text.replace(/[013457@$!]/g, (sign) => LETTERS[sign] ?? sign)

/** One part of up to four characters over and over. */
const isRepetition = (text: string): boolean => /^(.{1,4}?)\1+$/u.test(text)

/** Neighbours in the alphabet or among digits all the way: `abcdefghijkl`, `765432109876`. */
function isRun(text: string): boolean {
  const steps = [...text].slice(1).map((char, i) => (char.codePointAt(0) ?? 0) - (text.codePointAt(i) ?? 0))
  return steps.every((step) => step === 1 || step === -9) || steps.every((step) => step === -1 || step === 9)
}
