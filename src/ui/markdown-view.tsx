'use client'
import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import { type ComponentProps, createContext, type ReactNode, useContext, useMemo } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'
import { useTranslations } from 'use-intl/react'
import { Citation, type Cited } from './citation.tsx'
import { Link } from './link.tsx'
import { PlainText } from './plain-text.tsx'
import { ScrollBox } from './scroll-box.tsx'

export type MarkdownViewProps = {
  /** A sanitised hast tree as the server made it (`{type: 'root', children}`); never a string of HTML. */
  tree: unknown
  /**
   * What the superscripts open, by the value of `data-citation` on a `<sup>` (or `<cite>`) of the tree. The number shown is
   * its place in this list.
   */
  citations?: readonly (Cited & { id: string })[]
  /** What stands in the place of such a superscript instead, by its value. */
  citation?: (value: string) => ReactNode
}

const Citations = createContext<Pick<MarkdownViewProps, 'citations' | 'citation'>>({})

/** A text that is not rendered comes as its source, marked with the budget that it passes, or as one that is still being read. */
type PlainTree = {
  data: { plain: { budget: string; limit: number } | 'reading' }
  children: { value: string }[]
}

const isPlain = (tree: unknown): tree is PlainTree =>
  (tree as { data?: { plain?: unknown } } | null)?.data?.plain !== undefined

/** A document as it reads. The tree is data: elements outside the server's allow-list never arrive, scripts cannot. */
export function MarkdownView({ tree, ...cited }: MarkdownViewProps): ReactNode {
  return isPlain(tree) ? <Plain tree={tree} /> : <Rendered tree={tree} {...cited} />
}

function Plain({ tree }: { tree: PlainTree }) {
  const t = useTranslations('ui')
  const { plain } = tree.data
  const why =
    plain === 'reading'
      ? t('shownMeanwhile')
      : plain.budget === 'faults'
        ? t('shownUnparsed')
        : t('shownPlain', plain)
  return (
    <>
      <p className="mb-3 text-ink-2">{why}</p>
      <PlainText text={tree.children.map((child) => child.value).join('')} />
    </>
  )
}

function Rendered({ tree, citations, citation }: MarkdownViewProps): ReactNode {
  const body = useMemo(
    () =>
      toJsxRuntime(tree as Parameters<typeof toJsxRuntime>[0], {
        Fragment,
        jsx,
        jsxs,
        components: COMPONENTS as never,
        ignoreInvalidStyle: true,
        // As an attribute, which the sheet reads: the policy of the page refuses styles in the HTML.
        tableCellAlignToStyle: false,
      }),
    [tree],
  )
  return (
    <Citations value={{ citations, citation }}>
      <div className="prose">{body}</div>
    </Citations>
  )
}

/** Links inside the console stay in it; others name their target and open apart. */
function Anchor({ href = '', children }: ComponentProps<'a'>) {
  if (href.startsWith('/') || href.startsWith('#')) return <Link href={href}>{children}</Link>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" data-tip={href}>
      {children}
    </a>
  )
}

/** An image is not loaded: it is a link that names its target. */
function Picture({ src, alt }: ComponentProps<'img'>) {
  const at = typeof src === 'string' ? src : ''
  return <Anchor href={at}>{alt || at}</Anchor>
}

function Superscript({
  'data-citation': id,
  children,
}: ComponentProps<'sup'> & { 'data-citation'?: string }) {
  const { citations = [], citation } = useContext(Citations)
  if (citation && id !== undefined) return citation(id)
  const at = citations.findIndex((c) => c.id === id)
  const cited = citations[at]
  return cited ? <Citation n={at + 1} cited={cited} /> : <sup>{children}</sup>
}

function Table({ children, 'data-line': line }: ComponentProps<'table'> & Lined) {
  return (
    <ScrollBox label={useTranslations('ui')('table')}>
      <table data-line={line}>{children}</table>
    </ScrollBox>
  )
}

/** The line that the block begins at in its file, for links that lead to it. */
type Lined = { 'data-line'?: number }

function Code({ children, 'data-line': line }: ComponentProps<'pre'> & Lined) {
  return (
    <ScrollBox label={useTranslations('ui')('code')}>
      <pre data-line={line}>{children}</pre>
    </ScrollBox>
  )
}

const COMPONENTS = { table: Table, pre: Code, a: Anchor, img: Picture, sup: Superscript, cite: Superscript }
