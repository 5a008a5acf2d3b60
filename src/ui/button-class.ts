export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

/** The styles of a button (repeated.css), for links that look like one and for pages that load nothing else of the kit. */
export function buttonClass(kind: ButtonKind = 'secondary', size: ButtonSize = 'md'): string {
  return `button button-${size} button-${kind}`
}
