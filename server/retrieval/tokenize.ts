/**
 * Words of a text as the index knows them: Unicode words, case folded, apostrophes unified, endings of
 * Ukrainian, Russian and English folded lightly. The same function serves notes and questions; it is deterministic and knows no locale.
 */
const APOSTROPHES = /[’‘ʼʹ`´′＇]/gu
const STRESS = /\u0301/gu
const WORD = /[\p{L}\p{N}]+(?:'\p{L}+)*/gu
const CAMEL = /(\p{Ll}|\p{N})(\p{Lu})/gu
const NAME_CHARS = 100
const CYRILLIC = /\p{Script=Cyrillic}/u

/** Longest first: the first ending that fits is cut, once. */
const longestFirst = (list: string) => list.split(' ').sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
const CYRILLIC_ENDINGS = longestFirst(
  'ностями ністю ності ність ностей ности ность остями остей ості ість ости ость ' +
    'еннями еннях енням ення енню ений ена ене ені аннями аннях анням ання анню ений аний ана ане ані ' +
    'ується юється ується ується ються ується ється уться яться аться иться еться ится ется ются утся ' +
    'ування юванням уванням ування ювання ' +
    'ювати увати овати ювати ати яти ити іти ути ать ять еть ить уть ють ют ут ит ет ает яет ' +
    'ував юва ював овал ував ала яла ила іла ула ало яло ило іло уло али яли или іли ули ав яв ив ів їв ув ил ал ял ' +
    'ими іми ого його ому йому ої ьої ою ьою ий ій їй их іх їх им ім їм ая яя ое ее ые ие ый ой ую юю ого его ему ' +
    'ія ами ями ям ах ях ам ов ев єв ом ем єм ією ією ію ією ею єю ей ії ия ии ии ию ием ієм ' +
    'а е и і о у ю я ї є ь й ы э',
)
const LATIN_ENDINGS = longestFirst("ations ation ings ing edly ed ies ied es's 's es s e y ly")
const MIN_STEM = 3

const STOP = new Set(
  (
    'a an and are as at be been but by can did do does for from had has have how i if in into is it its may not of on or our should so such ' +
    'than that the their them then there these they this to was we were what when where which who why will with would you your happens happen happened ' +
    'і й та а але або бо в у во на над не ні з із зі до за по про при від для через що щоб як яка яке який які якщо коли де хто чому чи це цей ця ці цього ' +
    'той та те ті його її їх їй вони він вона воно ми ви я ти бути є був була було були буде має мають може можуть треба тоді там тут також ще вже ' +
    'відбувається відбуваються стається трапляється скільки ' +
    'и или но что чтобы как какая какое какой какие если когда где кто почему ли это этот эта эти того его её их они он она оно мы вы ты быть есть ' +
    'был была было были будет может могут надо тогда там тут также ещё еще уже от для при из со к с о об происходит случается сколько'
  ).split(' '),
)

/** One spelling for what readers take as one: NFC, lower case, one apostrophe, no stress marks, ё as е. */
export function foldText(text: string): string {
  return text
    .normalize('NFC')
    .replace(STRESS, '')
    .replace(APOSTROPHES, "'")
    .toLowerCase()
    .replaceAll('ё', 'е')
}

/** Words in order, folded but with their endings; for words shown to a reader use `contentWords`. */
export function words(text: string): string[] {
  return foldText(text).match(WORD) ?? []
}

/** The word without its ending; never shorter than three letters; numbers and short words stay as they are. */
export function stem(word: string): string {
  const endings = CYRILLIC.test(word) ? CYRILLIC_ENDINGS : LATIN_ENDINGS
  const ending = endings.find((e) => word.endsWith(e) && word.length - e.length >= MIN_STEM)
  const cut = ending === undefined ? word : word.slice(0, -ending.length)
  const bare = cut.replaceAll("'", '')
  return /([bdgklmnprt])\1$/u.test(bare) && bare.length > MIN_STEM ? bare.slice(0, -1) : bare
}

/** True for words that carry no subject of their own in any of the three languages. */
export const isStopWord = (word: string): boolean => STOP.has(word) || /^\p{L}$/u.test(word)

/** The terms of a question: stems of its words, stop words left out. */
export function terms(text: string): string[] {
  return words(text)
    .filter((w) => !isStopWord(w))
    .map(stem)
}

/** The terms under which a text is found: those of its words, and the parts of names such as `LeaseStatus` beside the whole. */
export function indexTerms(text: string): string[] {
  const names = (text.match(WORD) ?? []).filter((w) => w.length <= NAME_CHARS && /\p{Ll}\p{Lu}/u.test(w))
  const parts = names.flatMap((name) => terms(name.replace(CAMEL, '$1 $2')))
  return [...terms(text), ...parts]
}
