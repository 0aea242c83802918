import { useState } from 'preact/hooks'
import type { Agent, Swarm, SwarmResults } from '../../../clients/typescript/index.ts'
import { platform } from '../../base/platform.ts'
import { InputError } from '../../base/words.ts'
import { Area } from '../../ui/area.tsx'
import { Checks } from '../../ui/checks.tsx'
import { Fault } from '../../ui/fault.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Loaded } from '../../ui/load.ts'

type Named = (id: string) => string

/** Swarms: several agents get the same prompt, and their answers are shown side by side. */
export function Swarms({
  agents,
  swarms: { data, error, reload },
}: {
  agents: readonly Agent[]
  swarms: Loaded<Swarm[]>
}) {
  const [making, setMaking] = useState(false)
  const names = new Map(agents.map(({ id, name }) => [id, name]))
  const nameOf: Named = (id) => names.get(id) ?? id
  return (
    <section class="stack" aria-labelledby="swarms">
      <div class="head">
        <h2 id="swarms">Swarms</h2>
        {!making && (
          <button type="button" class="button small" onClick={() => setMaking(true)}>
            <Icon name="plus" />
            New swarm
          </button>
        )}
      </div>
      <Fault error={error} />
      {making && (
        <SwarmForm
          agents={agents}
          onCancel={() => setMaking(false)}
          onDone={() => {
            setMaking(false)
            reload()
          }}
        />
      )}
      {data?.length === 0 && !making && (
        <p class="meta">
          No swarms yet. A swarm sends the same prompt to several agents and shows their answers
          side by side.
        </p>
      )}
      {data?.map((swarm) => (
        <SwarmCard key={swarm.id} swarm={swarm} nameOf={nameOf} />
      ))}
    </section>
  )
}

function SwarmForm({
  agents,
  onDone,
  onCancel,
}: {
  agents: readonly Agent[]
  onDone(): void
  onCancel(): void
}) {
  const [members, setMembers] = useState<readonly string[]>([])

  async function create({ name = '', description = '' }: Record<string, string>) {
    if (name.trim() === '') throw new InputError('Enter a name.')
    if (members.length === 0) throw new InputError('Choose at least one agent.')
    await platform.swarms.create({
      name,
      agents: [...members],
      ...(description.trim() !== '' && { description }),
    })
    onDone()
  }

  return (
    <Form
      action="Create swarm"
      onSend={create}
      class="card"
      aside={
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      }
    >
      <Field label="Name" name="name" autocomplete="off" maxLength={100} />
      <Field label="Description" name="description" autocomplete="off" maxLength={1000} />
      <Checks
        legend="Agents"
        options={agents.map(({ id, name }) => ({ value: id, label: name }))}
        chosen={members}
        onChange={setMembers}
      />
    </Form>
  )
}

function SwarmCard({ swarm, nameOf }: { swarm: Swarm; nameOf: Named }) {
  const [answer, setAnswer] = useState<SwarmResults['results']>()

  async function run({ prompt = '' }: Record<string, string>) {
    if (prompt.trim() === '') throw new InputError('Enter a prompt.')
    setAnswer(undefined)
    // The request takes as long as the slowest member.
    const { results } = await platform.swarms.run(swarm.id, { prompt }, { timeoutMs: 180_000 })
    setAnswer(results)
  }

  return (
    <section class="card stack" aria-label={swarm.name}>
      <div>
        <h3>{swarm.name}</h3>
        <p class="meta">
          {swarm.description !== null && <>{swarm.description} </>}
          {swarm.agents.map(nameOf).join(', ')}
        </p>
      </div>
      <Form action="Run" onSend={run}>
        <Area label="Prompt" name="prompt" rows={2} />
      </Form>
      {answer !== undefined && (
        <div class="columns" role="status" aria-label="Answers">
          {answer.map(({ agentId, reply, error }) => (
            <section key={agentId} class="answer" aria-label={nameOf(agentId)}>
              <h3>{nameOf(agentId)}</h3>
              {error !== null && <Fault error={error} />}
              {reply !== null && <p class="said">{reply}</p>}
            </section>
          ))}
        </div>
      )}
    </section>
  )
}
