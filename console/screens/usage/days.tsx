import { count, usd } from '../../base/figures.ts'
import { go, query } from '../../base/router.ts'
import { Bars } from '../../ui/chart/bars.tsx'
import { Segments } from '../../ui/segments.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { dayName } from './periods.ts'
import { type Dimension, idOf, type Total, total, totalsBy, type UsageRow } from './totals.ts'

/** More series are hard to distinguish, so the rest is added up in one. */
const maxSeries = 6

const measures = [
  { value: 'cost', label: 'Cost' },
  { value: 'tokens', label: 'Tokens' },
] as const

const dimensions = [
  { value: 'model', label: 'By model' },
  { value: 'agent', label: 'By agent' },
] as const

/** Cost or tokens per day, stacked by model or agent, as a chart and a table. */
export function Days({ rows, days }: { rows: readonly UsageRow[]; days: readonly string[] }) {
  const by: Dimension = query.value.get('by') === 'agent' ? 'agent' : 'model'
  const measure = query.value.get('measure') === 'tokens' ? 'tokens' : 'cost'
  const series = seriesOf(rows, { days, by, measure })
  const unpriced = measure === 'cost' && rows.some((row) => row.unpriced > 0)
  const list = days.map((date, i) => ({
    date,
    values: series.map(({ values }) => values[i] ?? null),
    total: total(
      date,
      rows.filter((row) => row.date === date),
    ),
  }))
  const write = (value: number | null) => (measure === 'cost' ? usd(value) : count(value ?? 0))
  const columns: Column<(typeof list)[number]>[] = [
    { name: 'Day', cell: ({ date }) => <time dateTime={date}>{dayName(date)}</time> },
    ...series.map(({ name }, i) => ({
      name,
      figures: true,
      cell: ({ values }: { values: (number | null)[] }) => write(values[i] ?? null),
    })),
    {
      name: 'Together',
      figures: true,
      cell: ({ total }) => (measure === 'cost' ? usd(total.cost) : count(total.tokens)),
    },
    { name: 'Calls', figures: true, cell: ({ total }) => count(total.calls) },
    ...(unpriced ? [{ name: 'Unknown cost', figures: true, cell: unpricedOf }] : []),
  ]
  const words = `${measure === 'cost' ? 'Cost' : 'Tokens'} day by day, by ${by}`
  return (
    <section class="card stack" aria-labelledby="days">
      <div class="head">
        <h2 id="days">Day by day</h2>
        <div class="row">
          <Choices name="measure" label="Measure" options={measures} chosen={measure} />
          <Choices name="by" label="Stacked by" options={dimensions} chosen={by} />
        </div>
      </div>
      <Bars
        label={`${words}. The table below contains the figures.`}
        categories={days.map(dayName)}
        series={series}
        write={measure === 'cost' ? usd : short}
      />
      <Table
        caption={words}
        columns={columns}
        rows={list.toReversed()}
        id={({ date }) => date}
        bounded
      />
    </section>
  )
}

function Choices<Value extends string>(props: {
  name: string
  label: string
  options: readonly { value: Value; label: string }[]
  chosen: Value
}) {
  return (
    <Segments
      {...props}
      onChoose={(value) => {
        const next = new URLSearchParams(query.value)
        next.set(props.name, value)
        go(`/usage?${next.toString()}`, { replace: true })
      }}
    />
  )
}

function unpricedOf({ total }: { total: Pick<Total, 'unpriced'> }): string {
  return count(total.unpriced ?? 0)
}

interface Stacking {
  days: readonly string[]
  by: Dimension
  measure: 'cost' | 'tokens'
}

function seriesOf(rows: readonly UsageRow[], { days, by, measure }: Stacking) {
  const groups = totalsBy(rows, by).filter(({ cost }) => measure === 'tokens' || cost !== null)
  const shownGroups = groups.length > maxSeries ? groups.slice(0, maxSeries - 1) : groups
  const rest = new Set(groups.slice(shownGroups.length).map(({ id }) => id))
  const valuesOf = (belongs: (id: string) => boolean) =>
    days.map((date) => {
      const of = total(
        date,
        rows.filter((row) => row.date === date && belongs(idOf(row, by))),
      )
      return measure === 'cost' ? of.cost : of.tokens
    })
  return [
    ...shownGroups.map(({ id, name }) => ({ name, values: valuesOf((each) => each === id) })),
    ...(rest.size > 0
      ? [{ name: `${rest.size} others`, values: valuesOf((each) => rest.has(each)) }]
      : []),
  ]
}

/** Formats a count for an axis: 1.2M. */
function short(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(
    value,
  )
}
