import { count, usd } from '../../base/figures.ts'
import { Share } from '../../ui/chart/share.tsx'
import { Table } from '../../ui/table.tsx'
import type { Total } from './totals.ts'

type Row = Total & { id: string }

/** Usage per model or agent, with its share of the total. */
export function Breakdown({
  title,
  first,
  totals,
}: {
  title: string
  first: string
  totals: readonly Row[]
}) {
  const id = title.toLowerCase().replaceAll(' ', '-')
  const whole = totals.reduce((sum, { cost }) => sum + (cost ?? 0), 0)
  const tokens = totals.reduce((sum, each) => sum + each.tokens, 0)
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Table
        caption={`Usage ${title.toLowerCase()}`}
        columns={[
          {
            name: first,
            cell: (row) => (
              <>
                {row.name}
                <Share
                  part={whole > 0 ? (row.cost ?? 0) : row.tokens}
                  whole={whole > 0 ? whole : tokens}
                />
              </>
            ),
          },
          { name: 'Cost', figures: true, cell: costOf },
          {
            name: 'Tokens in',
            figures: true,
            cell: ({ input, cached }) => <Tokens of={input} part={cached} words="cached" />,
          },
          {
            name: 'Tokens out',
            figures: true,
            cell: ({ output, reasoning }) => (
              <Tokens of={output} part={reasoning} words="reasoning" />
            ),
          },
          { name: 'Calls', figures: true, cell: ({ calls }) => count(calls) },
        ]}
        rows={totals}
        id={(row) => row.id}
      />
    </section>
  )
}

function Tokens({ of, part, words }: { of: number; part: number; words: string }) {
  return (
    <>
      {count(of)}
      {part > 0 && (
        <span class="meta">
          {count(part)} {words}
        </span>
      )}
    </>
  )
}

function costOf({ cost, unpriced }: Row) {
  return (
    <>
      {usd(cost)}
      {cost !== null && unpriced !== null && unpriced > 0 && (
        <span class="meta">and {count(unpriced)} of unknown cost</span>
      )}
    </>
  )
}
