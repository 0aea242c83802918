import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Confirm } from '../../../ui/confirm.tsx'
import { Form } from '../../../ui/form.tsx'
import type { Loaded } from '../../../ui/load.ts'
import { LoadedList } from '../../../ui/loaded-list.tsx'

interface NamedSecretsProps<Item> {
  /** The id of the heading. */
  id: string
  title: string
  lead: string
  kept: Loaded<Item[]>
  nameOf(item: Item): string
  about(item: Item): ComponentChildren
  /** Deletes a secret; `effect` describes the effect. */
  removal: { action: string; effect: string; remove(name: string): Promise<unknown> }
  /** Adds a secret from the values of the fields. */
  adding: { action: string; add(values: Record<string, string>): Promise<unknown> }
  /** The fields of the form. */
  children: ComponentChildren
}

/** Lists secrets of one kind by name, with a form that adds or replaces one. No secret is shown. */
export function NamedSecrets<Item>(props: NamedSecretsProps<Item>) {
  const { id, title, lead, kept, nameOf, about, removal, adding, children } = props
  const [round, setRound] = useState(0)
  return (
    <section class="stack" aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        <p class="meta">{lead}</p>
      </div>
      <LoadedList of={kept}>
        {(item) => (
          <li key={nameOf(item)}>
            <div class="list-main">
              <strong>{nameOf(item)}</strong>
              <p class="meta">{about(item)}</p>
            </div>
            <Confirm
              action={removal.action}
              question={`${removal.action} ${nameOf(item)}?`}
              class="small"
              onConfirm={async () => {
                await removal.remove(nameOf(item))
                kept.reload()
              }}
            >
              {removal.effect}
            </Confirm>
          </li>
        )}
      </LoadedList>
      <Form
        key={round}
        again={round > 0}
        action={adding.action}
        onSend={async (values) => {
          await adding.add(values)
          setRound((before) => before + 1)
          kept.reload()
        }}
        class="card"
      >
        {children}
      </Form>
    </section>
  )
}
