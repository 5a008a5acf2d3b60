import { breakable } from '#ui/breakable.tsx'
import { Copyable } from '#ui/copyable.tsx'
import { Count } from '#ui/count.tsx'
import { FieldList } from '#ui/field-list.tsx'
import { Digest, Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { Size } from '#ui/size.tsx'
import type { Specimen } from '../specimen.ts'

const UUID = '3f2b8c1e-7a44-4d0b-9c55-1f0e8a6b2d37'

export const facts: Specimen = {
  name: 'Facts and ids',
  of: ['breakable.tsx', 'copyable.tsx', 'count.tsx', 'field-list.tsx', 'id.tsx', 'size.tsx'],
  states: [
    {
      name: 'facts of an object',
      Show: () => (
        <FieldList
          rows={[
            { label: 'Agent', value: <Link href="/design">librarian v1.2.0</Link> },
            { label: 'Job', value: <Id value={UUID} /> },
            { label: 'Digest', value: <Digest value={'4ad2983c'.repeat(8)} /> },
            { label: 'Size', value: <Size bytes={18_432} /> },
            { label: 'Count', value: <Count value={18_432} /> },
            { label: 'Target', value: `notes/${'a-long-name/'.repeat(8)}note.md` },
          ]}
        />
      ),
    },
    {
      name: 'facts in a narrow column',
      Show: () => (
        <div className="@container max-w-64">
          <FieldList
            rows={[
              { id: 'by', label: breakable('last_reviewed_by'), value: 'olena.petrenko@garden.example' },
              {
                id: 'source',
                label: 'source',
                value: breakable('https://example.org/gardening/compost', /(?<=[/])(?![/])/),
              },
            ]}
          />
        </div>
      ),
    },
    {
      name: 'a text to take along, its lines kept, and one long word',
      Show: () => (
        <>
          <Copyable text={'mkdir -p ~/.local/bin\nmembridge doctor'} name="Commands" label="Copy commands" />
          <Copyable text={'4ad2983c'.repeat(16)} name="Key" label="Copy key" wrap primary />
        </>
      ),
    },
    { name: 'id in full', Show: () => <Id value={UUID} full /> },
  ],
}
