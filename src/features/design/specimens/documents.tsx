import { Citation, type Cited, Excerpt } from '#ui/citation.tsx'
import { FileLines } from '#ui/file-lines.tsx'
import { JsonView } from '#ui/json-view.tsx'
import { MarkdownView } from '#ui/markdown-view.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import { ScrollBox } from '#ui/scroll-box.tsx'
import { TableOfContents } from '#ui/table-of-contents.tsx'
import { TextEditor } from '#ui/text-editor.tsx'
import type { Specimen } from '../specimen.ts'
import { SAMPLE_DOCUMENT } from './sample-document.ts'

const CITED: Cited & { id: string } = {
  id: 'first',
  source: 'notes/companions.md',
  lines: '12–14',
  quote: 'Beans climb the sunflower and rest in its shade.',
  revision: '4ad2983c4ad2983c4ad2983c4ad2983c4ad2983c',
  href: '/design',
}
const JSON_SAMPLE = {
  title: 'North bed',
  plants: ['beans', 'kale'],
  square_metres: 12.5,
  fallow: false,
  owner: null,
}

const HEADINGS = ['Beds', 'Companions', 'Watering'].map((text, i) => ({
  depth: 2 + (i % 2),
  text,
  id: `sample-${i}`,
}))

export const documents: Specimen = {
  name: 'Documents and sources',
  of: [
    'markdown-view.tsx',
    'citation.tsx',
    'file-lines.tsx',
    'json-view.tsx',
    'plain-text.tsx',
    'scroll-box.tsx',
    'table-of-contents.tsx',
    'text-editor.tsx',
  ],
  states: [
    {
      name: 'a text being edited',
      Show: () => (
        <TextEditor
          label="The result of North.md"
          text={'# North bed\n\nLeeks and *garlic*.\n'}
          markdown
          onChange={() => {}}
          onLeave={() => {}}
        />
      ),
    },
    {
      name: 'Markdown',
      Show: () => <MarkdownView tree={SAMPLE_DOCUMENT} citations={[CITED]} />,
    },
    {
      name: 'citation, opened; one that was not found',
      press: true,
      Show: () => (
        <p>
          Beans like shade
          <Citation n={1} cited={CITED} /> and moonlight
          <Citation n={2} cited={{ ...CITED, grounded: false }} />.
        </p>
      ),
    },
    { name: 'excerpt', Show: () => <Excerpt cited={CITED} /> },
    {
      name: 'lines of a file, one of them cited',
      Show: () => (
        <FileLines
          lines={['# Companions', '', CITED.quote, 'Kale does not.'].map((text, i) => ({
            n: 12 + i,
            text,
            cited: i === 2,
          }))}
        />
      ),
    },
    { name: 'text as it is written', Show: () => <PlainText text={'# North bed\n\n- beans\n- kale'} /> },
    {
      name: 'a long text, in parts',
      Show: () => <PlainText text={'Beans climb the sunflower. '.repeat(5_000)} />,
    },
    { name: 'contents beside a text', Show: () => <TableOfContents headings={HEADINGS} form="list" /> },
    { name: 'contents above it', Show: () => <TableOfContents headings={HEADINGS} form="disclosure" /> },
    { name: 'JSON', Show: () => <JsonView value={JSON_SAMPLE} /> },
    {
      name: 'code in a box of its own',
      Show: () => (
        <ScrollBox label="Code" className="max-h-24 bg-sunken p-3">
          <pre>{Array.from({ length: 12 }, (_, i) => `water(${i + 1})`).join('\n')}</pre>
        </ScrollBox>
      ),
    },
  ],
}
