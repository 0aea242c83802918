import { useEffect, useRef, useState } from 'preact/hooks'
import { agentPath } from '../../../base/agents.ts'
import { platform } from '../../../base/platform.ts'
import { go } from '../../../base/router.ts'
import { plural, InputError } from '../../../base/words.ts'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useLoad } from '../../../ui/load.ts'

interface TopicsProps {
  agentId: string
  topic: string
  /** The number of turns in this conversation, which is listed from the first one on. */
  count: number | undefined
}

/** Shows the current conversation, and starts another. */
export function Topics({ agentId, topic, count }: TopicsProps) {
  const [isNaming, setIsNaming] = useState(false)
  const { data, reload } = useLoad(`topics ${agentId}`, (signal) =>
    platform.chat.topics({ agentId }, { signal }),
  )
  const before = useRef(count)
  useEffect(() => {
    if (before.current === 0 && count === 1) reload()
    before.current = count
  }, [count, reload])
  const others = (data ?? []).filter((each) => each.topic !== topic && each.topic !== 'default')
  const to = (name: string) =>
    go(
      agentPath(agentId, 'chat') + (name === 'default' ? '' : `?topic=${encodeURIComponent(name)}`),
    )

  async function begin({ name = '' }: Record<string, string>) {
    if (name.trim() === '') throw new InputError('Give the conversation a name.')
    to(name.trim())
  }

  if (isNaming)
    return (
      <div class="topics">
        <Form action="Start" onSend={begin} class="inline">
          <Field label="Conversation name" name="name" autocomplete="off" maxLength={100} />
        </Form>
      </div>
    )
  return (
    <div class="topics">
      <label>
        <span class="visually-hidden">Conversation</span>
        <select value={topic} onChange={(event) => to(event.currentTarget.value)}>
          <option value="default">Main conversation</option>
          {topic !== 'default' && <option value={topic}>{topic}</option>}
          {others.map((each) => (
            <option key={each.topic} value={each.topic}>
              {each.topic} ({plural(each.messages, 'message')})
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="button small quiet" onClick={() => setIsNaming(true)}>
        <Icon name="plus" />
        New conversation
      </button>
    </div>
  )
}
