import { now } from '../../base/clock.ts'
import { count, usd } from '../../base/figures.ts'
import { platform } from '../../base/platform.ts'
import { go, query } from '../../base/router.ts'
import { plural } from '../../base/words.ts'
import { Fault } from '../../ui/fault.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useLoad } from '../../ui/load.ts'
import { Empty, Head, Skeleton } from '../../ui/parts.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Segments } from '../../ui/segments.tsx'
import { Breakdown } from './breakdown.tsx'
import { usageCsv } from './csv.ts'
import { Days } from './days.tsx'
import { Limits } from './limits.tsx'
import { dayName, lastDays, lengthOf, periodOf, periods } from './periods.ts'
import { Reprice } from './reprice.tsx'
import { cachedOf, total, totalsBy, type UsageRow } from './totals.ts'

/** The length of the longest period in days, so that changing the period needs no request. */
const longestDays = 31

/** `/usage`. */
export default function Usage() {
  const period = periodOf(query.value)
  const usage = useLoad('usage', (signal) =>
    platform.usage.breakdown({ days: longestDays }, { signal }),
  )
  const days = lastDays(lengthOf(period))
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const rows = usage.data?.filter(({ date }) => date >= first)
  return (
    <>
      <Head title="Usage and cost" lead={`${dayName(first)} to ${dayName(last)}, in UTC.`}>
        <button
          type="button"
          class="button"
          disabled={rows === undefined}
          onClick={() =>
            saveFile(`usage-${first}-to-${last}.csv`, usageCsv(rows ?? []), 'text/csv')
          }
        >
          <Icon name="down" />
          Download CSV
        </button>
      </Head>
      <div class="stack">
        <Segments
          label="Period"
          name="period"
          options={periods}
          chosen={period}
          onChoose={(value) => go(`/usage?${changed('period', value)}`)}
        />
        <Fault error={usage.error} />
        {rows === undefined && usage.error === undefined && <Skeleton lines={5} />}
        {rows !== undefined && (
          <>
            {rows.length === 0 ? <Unused period={period} /> : <Used rows={rows} days={days} />}
            {rows.length > 0 && <ByKey days={days.length} />}
          </>
        )}
        {usage.data !== undefined && (
          <Limits
            spent={
              total(
                '',
                usage.data.filter(({ date }) => isThisMonth(date)),
              ).cost
            }
          />
        )}
        {rows !== undefined && rows.length > 0 && <Reprice key={days.length} days={days.length} />}
      </div>
    </>
  )
}

function changed(name: string, value: string): string {
  const next = new URLSearchParams(query.value)
  next.set(name, value)
  return next.toString()
}

function isThisMonth(date: string): boolean {
  return date.slice(0, 7) === new Date(now()).toISOString().slice(0, 7)
}

function Unused({ period }: { period: string }) {
  return (
    <Empty
      icon="chart"
      title="No usage"
      step={
        <a class="button primary" href="/agents">
          Chat with an agent
        </a>
      }
    >
      {period === 'mtd' ? 'There was no usage this month.' : 'There was no usage in this period.'}{' '}
      Model usage of your agents and keys appears here within seconds.
    </Empty>
  )
}

function Used({ rows, days }: { rows: readonly UsageRow[]; days: readonly string[] }) {
  const all = total('', rows)
  return (
    <>
      <dl class="columns figures">
        <Figure name="Spent" value={usd(all.cost)} />
        <Figure name="Tokens" value={count(all.tokens)} />
        <Figure name="Calls" value={count(all.calls)} />
        {all.unpriced > 0 && <Figure name="Unknown cost" value={plural(all.unpriced, 'call')} />}
      </dl>
      <Days rows={rows} days={days} />
      <Breakdown title="By model" first="Model" totals={totalsBy(rows, 'model')} />
      <Breakdown title="By agent" first="Agent" totals={totalsBy(rows, 'agent')} />
    </>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div class="card figure">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function ByKey({ days }: { days: number }) {
  const { data, error } = useLoad(`usage by key ${days}`, (signal) =>
    platform.usage.byKey({ days }, { signal }),
  )
  if (error !== undefined) return <Fault error={error} />
  if (data === undefined) return <Skeleton />
  const totals = data.map((key) => ({
    id: key.key_id ?? '',
    name: key.key_name ?? (key.key_id === null ? 'Without a key' : `Key ${key.key_id}`),
    cost: key.cost_usd,
    input: key.input_tokens,
    output: key.output_tokens,
    cached: cachedOf(key),
    reasoning: key.reasoning_tokens,
    tokens: key.total_tokens,
    calls: key.turns,
    unpriced: null,
  }))
  return <Breakdown title="By key" first="Key" totals={totals} />
}
