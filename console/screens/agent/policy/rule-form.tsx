import { useEffect, useRef, useState } from 'preact/hooks'
import type { PolicyRule } from '../../../../clients/typescript/index.ts'
import { Area, Choice } from '../../../ui/area.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { kindOf } from '../../approvals/words.ts'
import {
  type Action,
  actions,
  decisions,
  type FieldFault,
  faultOf,
  fieldNames,
  fieldsOf,
  ruleOf,
  textsOf,
} from './rule-fields.ts'

interface RuleFormProps {
  /** The rule to change. Without it, a new one is added. */
  rule: PolicyRule | undefined
  number: number
  onDone(rule: PolicyRule): Promise<void>
  onCancel(): void
}

/** Adds or changes a rule of a policy. The platform checks it, and its error is shown beside the field. */
export function RuleForm({ rule, number, onDone, onCancel }: RuleFormProps) {
  const [action, setAction] = useState<Action>(rule?.action ?? 'broker.request')
  const [then, setThen] = useState<PolicyRule['then']>(rule?.then ?? 'ask')
  const [fault, setFault] = useState<FieldFault>()
  const box = useRef<HTMLDivElement>(null)
  const texts = textsOf(rule)

  useEffect(() => box.current?.querySelector('select')?.focus(), [])
  useEffect(() => {
    box.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [fault])

  async function send(values: Record<string, string>) {
    setFault(undefined)
    try {
      await onDone(ruleOf({ action, then }, values, rule))
    } catch (error) {
      const found = faultOf(error, number)
      if (found === undefined) throw error
      setFault(found)
    }
  }

  /** The properties of a field. An error replaces its hint. */
  const field = (name: string, hint?: string) => ({
    name,
    autocomplete: 'off',
    defaultValue: texts[name] ?? '',
    hint: fault?.name === name ? fault.text : hint,
    'aria-invalid': fault?.name === name,
  })

  return (
    <div class="rule stack" ref={box}>
      <h3>{rule === undefined ? 'New rule' : `Rule ${number}`}</h3>
      <Form
        action={rule === undefined ? 'Add rule' : 'Change rule'}
        onSend={send}
        aside={
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        }
      >
        <div class="columns">
          <Choice
            label="Action"
            name="action"
            value={action}
            onChoose={(value) => setAction(value as Action)}
          >
            {actions.map((each) => (
              <option key={each} value={each}>
                {kindOf({ action: each })}
              </option>
            ))}
          </Choice>
          <Choice
            label="Decision"
            name="then"
            value={then}
            onChoose={(value) => setThen(value as PolicyRule['then'])}
          >
            {decisions.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Choice>
        </div>
        <div class="columns">
          {fieldsOf[action].map((name) => (
            <Area
              key={name}
              label={fieldNames[name] ?? name}
              rows={1}
              {...field(`match.${name}`)}
            />
          ))}
        </div>
        <p class="hint">
          One pattern per line; one of them must match. <code>*</code> stands for any characters. An
          empty field matches everything.
        </p>
        <div class="columns">
          {action === 'payment.send' && (
            <Field
              label="At most, in US dollars each"
              inputMode="decimal"
              {...field('when.maxUsd', 'Such as 0.50.')}
            />
          )}
          {then !== 'deny' && (
            <Field
              label="Times a day"
              inputMode="numeric"
              {...field('when.perDay', 'In a UTC day. Further ones go to the next rule.')}
            />
          )}
          <Field label="From" {...field('when.hours.from', 'Such as 09:00.')} />
          <Field label="Until" {...field('when.hours.to', 'Such as 18:00.')} />
          <Field label="Time zone" {...field('when.hours.timezone', 'Such as Europe/Berlin.')} />
        </div>
      </Form>
    </div>
  )
}
