import { useState } from 'preact/hooks'
import type { Policy } from '../../../../clients/typescript/index.ts'
import { now as platformNow } from '../../../base/clock.ts'
import { Fault } from '../../../ui/fault.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Skeleton } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import type { TabProps } from '../tab.ts'
import { useDraft } from './draft.ts'
import { Presets } from './presets.tsx'
import { Rules } from './rules.tsx'
import { SaveBar } from './save-bar.tsx'
import { Trial } from './trial.tsx'
import { useTrial } from './use-trial.ts'
import './policy.css'

interface Seen {
  policy: Policy
  /** Epoch milliseconds. A response to an earlier request is older. */
  at: number
}

/** The policy of an agent. A remembered approval adds a rule to it while the tab is open, too. */
export default function PolicyTab({ agent: { id } }: TabProps) {
  const [known, setKnown] = useState<Seen>()
  const { data, error } = useLoad<Seen>(
    `policy ${id}`,
    async (signal) => {
      const at = platformNow()
      return { policy: await agents.policy.get(id, { signal }), at }
    },
    () => 15_000,
  )
  if (data === undefined) return error === undefined ? <Skeleton /> : <Fault error={error} />
  const { policy } = known !== undefined && known.at > data.at ? known : data
  return (
    <Editor
      agentId={id}
      saved={policy}
      onSeen={(seen) => setKnown({ policy: seen, at: platformNow() })}
    />
  )
}

interface EditorProps {
  agentId: string
  /** The stored policy, as far as this page knows. */
  saved: Policy
  onSeen(policy: Policy): void
}

function Editor({ agentId, saved, onSeen }: EditorProps) {
  const [days, setDays] = useState(7)
  /** The index of the rule in the form. The number of rules for a new one. */
  const [edited, setEdited] = useState<number>()
  const draft = useDraft(agentId, saved, onSeen)
  const { policy } = draft
  const trial = useTrial(agentId, policy, days)
  return (
    <div class="stack policy">
      <Presets chosen={policy.preset} onChoose={(preset) => draft.change({ ...policy, preset })} />
      <Rules
        policy={policy}
        trial={trial}
        edited={edited}
        onEdit={(i) => {
          // A rule must not move while it is in the form.
          draft.hold()
          setEdited(i)
        }}
        onChange={(rules) => {
          setEdited(undefined)
          draft.change({ ...policy, rules })
        }}
      />
      {edited === undefined && <SaveBar draft={draft} />}
      <Trial
        of={trial}
        days={days}
        hasPaths={policy.rules.some(({ match }) => match?.['path'] !== undefined)}
        onDays={setDays}
      />
    </div>
  )
}
