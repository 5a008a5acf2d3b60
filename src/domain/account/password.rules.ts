/**
 * Which passwords are taken [auth#passwords]: 12 to 128 characters, none of the commonest. Of the lists of common
 * passwords only those with 12 or more characters matter here; beside them go the patterns that such lists are full of.
 */
export const MIN_PASSWORD = 12
export const MAX_PASSWORD = 128

const COMMON = new Set(
  `123456789012 1234567890123 12345678901234 123456789101112 1234567891011 111111111111 000000000000 qwertyuiop12 qwertyuiop123
  qwertyuiop1234 qwertyuiopasdf qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc 1qaz2wsx3edc4rfv
  zaq12wsxcde3 q1w2e3r4t5y6 asdfghjkl123 asdfghjklqwerty zxcvbnm123456 password1234 password12345 password123456 passwordpassword
  password123! password2024 password2025 password2026 p@ssw0rd1234 p@ssword1234 passw0rd1234 welcome12345 welcome123456 letmein12345
  letmein123456 iloveyou1234 iloveyou12345 iloveyouforever administrator administrator1 administrator123 admin1234567 adminadminadmin
  changeme1234 changeme12345 changemeplease correcthorsebatterystaple trustno1trustno1 superman1234 football1234 baseball1234 basketball12
  liverpool123 manchesterunited manchester123 princess1234 sunshine1234 dragon123456 monkey123456 michael12345 jordan123456 abcdefghijkl
  abcdefghijklm abcdefghijklmnop abc123abc123 abcd12345678 abcdefg12345 qwerty123456 qwerty1234567 qwerty12345678 qwertyqwerty qwerty12qwerty
  a1b2c3d4e5f6 1a2b3c4d5e6f aa1234567890 123qweasdzxc qweasdzxc123 123123123123 123321123321 112233445566 987654321012 098765432109
  0987654321098 147258369147 147258369000 123654789000 159753159753 555555555555 666666666666 777777777777 888888888888 999999999999
  secretsecret mypassword123 mypassword12 thisismypassword ihatepasswords starwars1234 pokemon12345 computer1234 internet1234 samsung12345
  whatever1234 charlie12345 chocolate123 butterfly123 spiderman123 playstation3 playstation4 playstation123 minecraft123 gardenbloom1
  gardenbloom12 gardenbloom123 garden-bloom1 парольпароль йцукенгшщзхъ йцукенгшщзхї пароль123456 йцукен123456`
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
  const common = COMMON.has(folded) || isRepetition(folded) || isRun(folded)
  return common || (name.length > 3 && folded.replaceAll(name.toLowerCase(), '').length < 6)
    ? 'too_common'
    : null
}

/** One part of up to four characters over and over. */
const isRepetition = (text: string): boolean => /^(.{1,4}?)\1+$/u.test(text)

/** Neighbours in the alphabet or among digits all the way: `abcdefghijkl`, `765432109876`. */
function isRun(text: string): boolean {
  const steps = [...text].slice(1).map((char, i) => (char.codePointAt(0) ?? 0) - (text.codePointAt(i) ?? 0))
  return steps.every((step) => step === 1 || step === -9) || steps.every((step) => step === -1 || step === 9)
}
