/**
 * Text of programs in ASCII: a process keeps the text of everything that it has loaded, and one character above U+00FF, an ellipsis in
 * a sentence, makes each of the file's a million characters take two bytes.
 */

/**
 * The same program with each character beyond ASCII as its escape. Strings, templates, regular expressions and names mean the same; only the raw text of a
 * tagged template, and a space beyond ASCII between two words of the program, do not.
 * @param {string} code
 */
export const inAscii = (code) =>
  // Unit by unit: the escapes of a pair are a pair again.
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
