import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Policy, PolicyRule } from '../../../../clients/typescript/index.ts'
import { visible } from '../../../base/visible.ts'
import { Skeleton } from '../../../ui/parts.tsx'
import { RuleForm } from './rule-form.tsx'
import type { PolicyTrial } from './use-trial.ts'

interface RulesProps {
  policy: Policy
  trial: PolicyTrial
  /** The index of the rule in the form. The number of rules for a new one. */
  edited: number | undefined
  onEdit(i: number): void
  /** Also closes the form. */
  onChange(rules: PolicyRule[]): void
}

/** The rules in words, and what changes them. Nothing is saved here. */
export function Rules({ policy, trial, edited, onEdit, onChange }: RulesProps) {
  const { rules } = policy
  const [notice, setNotice] = useState('')
  const section = useRef<HTMLElement>(null)
  const focusNext = useRef<string | undefined>(undefined)

  useEffect(() => {
    if (focusNext.current === undefined) return
    section.current?.querySelector<HTMLElement>(`[data-focus="${focusNext.current}"]`)?.focus()
    focusNext.current = undefined
  })

  function move(from: number, by: 1 | -1) {
    const to = from + by
    const rule = rules[from]
    if (rule === undefined || to < 0 || to >= rules.length) return
    onChange(rules.toSpliced(from, 1).toSpliced(to, 0, rule))
    focusNext.current = `${by < 0 ? 'up' : 'down'} ${to + 1}`
    setNotice(`Rule ${from + 1} is now rule ${to + 1}.`)
  }

  function remove(i: number) {
    onChange(rules.toSpliced(i, 1))
    focusNext.current = rules.length === 1 ? 'add' : `delete ${Math.min(i + 1, rules.length - 1)}`
    setNotice(`Rule ${i + 1} is deleted.`)
  }

  function close(i: number, after: PolicyRule[]) {
    onChange(after)
    focusNext.current = i === rules.length ? 'add' : `edit ${i + 1}`
  }

  const form = (i: number) => (
    <RuleForm
      key={i}
      rule={rules[i]}
      number={i + 1}
      onCancel={() => close(i, rules)}
      onDone={async (rule) => {
        const changed = rules.toSpliced(i, 1, rule)
        await trial.check({ ...policy, rules: changed })
        close(i, changed)
        setNotice(`Rule ${i + 1} is ${i === rules.length ? 'added' : 'changed'}.`)
      }}
    />
  )

  const numbered = rules.map((rule, i) => ({ rule, number: i + 1, i }))
  const last = trial.result?.sentences.at(-1)
  return (
    <section class="stack" aria-labelledby="rules" ref={section}>
      <div>
        <h2 id="rules">Rules</h2>
        <p class="meta">
          The first rule that matches decides; if none does, the preset decides. Approvals that you
          remember always are rules here, too.
        </p>
      </div>
      <ol class="list" aria-label="Rules">
        {numbered.map(({ rule, number, i }) =>
          edited === i ? (
            <li key={number}>{form(i)}</li>
          ) : (
            <Item
              key={number}
              number={number}
              count={rules.length}
              sentence={<Sentence of={rule} trial={trial} />}
              isFixed={edited !== undefined}
              onMove={(by) => move(i, by)}
              onEdit={() => onEdit(i)}
              onDelete={() => remove(i)}
            />
          ),
        )}
        <li>
          <p class="list-main">{last ?? <Skeleton lines={1} />}</p>
        </li>
      </ol>
      {edited === rules.length ? (
        <div class="card">{form(rules.length)}</div>
      ) : (
        <div class="row">
          <button
            type="button"
            class="button"
            data-focus="add"
            disabled={edited !== undefined}
            onClick={() => onEdit(rules.length)}
          >
            Add rule
          </button>
          <span class="meta" role="status">
            {notice}
          </span>
        </div>
      )}
    </section>
  )
}

interface ItemProps {
  number: number
  /** The number of rules. */
  count: number
  sentence: ComponentChildren
  /** True while a form is open. */
  isFixed: boolean
  onMove(by: 1 | -1): void
  onEdit(): void
  onDelete(): void
}

function Item({ number, count, sentence, isFixed, onMove, onEdit, onDelete }: ItemProps) {
  const button = (name: string, label: string, onClick: () => void, more: object = {}) => (
    <button
      type="button"
      class="button small"
      data-focus={`${name} ${number}`}
      onClick={onClick}
      {...more}
    >
      {label}
    </button>
  )
  return (
    <li>
      <p class="list-main">
        {number}. {sentence}
      </p>
      {!isFixed && (
        <div class="row">
          {button('up', '↑', () => onMove(-1), {
            'aria-label': `Move rule ${number} up`,
            'aria-disabled': number === 1,
          })}
          {button('down', '↓', () => onMove(1), {
            'aria-label': `Move rule ${number} down`,
            'aria-disabled': number === count,
          })}
          {button('edit', 'Edit', onEdit, { 'aria-label': `Edit rule ${number}` })}
          {button('delete', 'Delete', onDelete, { 'aria-label': `Delete rule ${number}` })}
        </div>
      )}
    </li>
  )
}

/** A rule in words. If the platform cannot be asked for them, the rule is shown as JSON. */
function Sentence({ of, trial }: { of: PolicyRule; trial: PolicyTrial }) {
  const sentence = trial.sentenceOf(of)
  if (sentence !== undefined) return <>{visible(sentence)}</>
  return trial.isLoading ? <>…</> : <code>{visible(JSON.stringify(of))}</code>
}
