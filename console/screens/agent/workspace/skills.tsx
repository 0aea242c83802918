import { useState } from 'preact/hooks'
import type { Skill } from '../../../../clients/typescript/index.ts'
import { platform } from '../../../base/platform.ts'
import { InputError } from '../../../base/words.ts'
import { Area } from '../../../ui/area.tsx'
import { useAttempt } from '../../../ui/attempt.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Form } from '../../../ui/form.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { Skeleton } from '../../../ui/parts.tsx'
import type { TabProps } from '../tab.ts'
import '../../../ui/runs.css'

/** The agent's skills, and the catalogue. */
export function Skills({ agent }: Pick<TabProps, 'agent'>) {
  const [news, setNews] = useState('')
  const { data, error, reload } = useLoad(`skills ${agent.id}`, (signal) =>
    platform.skills.list({ agentId: agent.id }, { signal }),
  )
  if (data === undefined) return error === undefined ? <Skeleton /> : <Fault error={error} />
  const has = new Set(data.installedSkillIds)
  const installed = data.skills.filter(({ id }) => has.has(id))
  const others = data.skills.filter(({ id }) => !has.has(id))

  function changed(words: string) {
    setNews(words)
    reload()
  }

  return (
    <>
      <p class="meta" role="status">
        {news}
      </p>
      <section class="stack" aria-labelledby="installed">
        <h2 id="installed">Installed</h2>
        <Fault error={error} />
        {installed.length === 0 && (
          <p class="meta">No skills yet. A skill contains instructions for one kind of work.</p>
        )}
        {installed.length > 0 && (
          <ul class="list">
            {installed.map((skill) => (
              <Installed key={skill.id} agentId={agent.id} skill={skill} onChange={changed} />
            ))}
          </ul>
        )}
      </section>
      {others.length > 0 && (
        <section class="stack" aria-labelledby="catalogue">
          <h2 id="catalogue">Catalogue</h2>
          <ul class="list">
            {others.map((skill) => (
              <Offered key={skill.id} agentId={agent.id} skill={skill} onChange={changed} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

interface SkillProps {
  agentId: string
  skill: Skill
  /** Receives a description of the change. */
  onChange(words: string): void
}

function About({ skill }: { skill: Skill }) {
  return (
    <div class="list-main">
      <strong>{skill.name}</strong>
      <p class="meta">
        {skill.description} ({skill.category}, version {skill.version})
      </p>
    </div>
  )
}

function Offered({ agentId, skill, onChange }: SkillProps) {
  const { busy, error, attempt } = useAttempt()

  const add = () =>
    attempt(async () => {
      const { deployed } = await platform.skills.install(agentId, skill.id)
      onChange(
        `${skill.name} is installed${deployed ? '' : '; the agent gets it at its next start'}.`,
      )
    })

  return (
    <li class="task">
      <About skill={skill} />
      <button
        type="button"
        class="button small"
        aria-label={`Add ${skill.name}`}
        aria-disabled={busy !== undefined}
        data-busy={busy !== undefined}
        onClick={add}
      >
        Add
      </button>
      {error !== undefined && (
        <div class="task-more">
          <Fault error={error} />
        </div>
      )}
    </li>
  )
}

function Installed({ agentId, skill, onChange }: SkillProps) {
  const [trying, setTrying] = useState(false)
  const [reply, setReply] = useState<string>()

  async function run({ input = '' }: Record<string, string>) {
    if (input.trim() === '') throw new InputError('Enter an input for the skill.')
    setReply(undefined)
    const answer = await platform.skills.use(skill.id, { agentId, input })
    setReply(answer.reply)
  }

  return (
    <li class="task">
      <About skill={skill} />
      <button
        type="button"
        class="button small"
        aria-label={`Try ${skill.name}`}
        aria-expanded={trying}
        onClick={() => setTrying((before) => !before)}
      >
        Try
      </button>
      <Confirm
        action="Remove"
        question={`Remove ${skill.name}?`}
        class="small"
        onConfirm={async () => {
          await platform.skills.uninstall(agentId, skill.id)
          onChange(`${skill.name} is removed.`)
        }}
      >
        The agent can no longer use it. You can add it again at any time.
      </Confirm>
      {trying && (
        <div class="task-more stack">
          <Form action={`Run ${skill.name}`} onSend={run}>
            <Area label="Input" name="input" rows={3} hint="Counts as one turn." />
          </Form>
          {reply !== undefined && (
            <section role="status" aria-label="Answer">
              <Markdown text={reply} streaming={false} />
            </section>
          )}
        </div>
      )}
    </li>
  )
}
