import { useState } from 'preact/hooks'
import type { Repricing } from '../../../clients/typescript/index.ts'
import { usd } from '../../base/figures.ts'
import { platform } from '../../base/platform.ts'
import { plural } from '../../base/words.ts'
import { Choice } from '../../ui/area.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Form } from '../../ui/form.tsx'
import { useLoad } from '../../ui/load.ts'
import { Skeleton } from '../../ui/parts.tsx'
import { Table } from '../../ui/table.tsx'

/** The cost of the same calls with another model. Opening it loads the models. */
export function Reprice({ days }: { days: number }) {
  const [open, setOpen] = useState(false)
  return (
    <details class="card fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Compare with another model</summary>
      {open && <Comparison days={days} />}
    </details>
  )
}

function Comparison({ days }: { days: number }) {
  const [answer, setAnswer] = useState<{ model: string; of: Repricing }>()
  const { data, error } = useLoad('models', (signal) => platform.models.list({ signal }))
  if (error !== undefined) return <Fault error={error} />
  if (data === undefined) return <Skeleton />

  async function ask({ model = '' }: Record<string, string>) {
    setAnswer(undefined)
    const of = await platform.estimates.reprice({ days, model })
    setAnswer({ model, of })
  }

  return (
    <div class="stack">
      <Form action="Compare" onSend={ask}>
        <Choice label="Model" name="model" hint="Cost of this period’s tokens with this model.">
          {data.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </Choice>
      </Form>
      {answer !== undefined && <Result {...answer} />}
    </div>
  )
}

function Result({ model, of }: { model: string; of: Repricing }) {
  return (
    <div class="stack" role="status">
      <p>
        {of.wouldBeUsd === null ? (
          <>No price of {model} is known.</>
        ) : (
          <>
            <strong>{usd(of.wouldBeUsd)}</strong> with {model}, instead of {usd(of.actualUsd)}
            {of.unpriced > 0 && `, without ${plural(of.unpriced, 'call')} of unknown cost`}.
          </>
        )}
      </p>
      <Table
        caption={`Actual cost and cost with ${model}`}
        columns={[
          { name: 'Model', cell: (row) => row.model },
          { name: 'Actual', figures: true, cell: (row) => usd(row.actualUsd) },
          { name: `With ${model}`, figures: true, cell: (row) => usd(row.wouldBeUsd) },
        ]}
        rows={of.byModel}
        id={(row) => `${row.provider} ${row.model}`}
      />
    </div>
  )
}
