import { useEffect, useState } from 'preact/hooks'
import type { PolicyRule } from '../../../../clients/typescript/index.ts'
import { Area, Choice } from '../../../ui/area.tsx'
import { FieldError, useFieldFaults } from '../../../ui/field-faults.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { kindOf } from '../../approvals/words.ts'
import {
  type Action,
  actions,
  decisions,
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
  const { root, at, send } = useFieldFaults()
  const texts = textsOf(rule)

  useEffect(() => root.current?.querySelector('select')?.focus(), [root])

  async function save(values: Record<string, string>) {
    try {
      await onDone(ruleOf({ action, then }, values, rule))
    } catch (error) {
      const found = faultOf(error, number)
      throw found === undefined ? error : new FieldError(found.name, found.text)
    }
  }

  const field = (name: string, label: string, hint?: string) => ({
    ...at(name, label, hint),
    autocomplete: 'off',
    defaultValue: texts[name] ?? '',
  })

  return (
    <div class="rule stack" ref={root}>
      <h3>{rule === undefined ? 'New rule' : `Rule ${number}`}</h3>
      <Form
        action={rule === undefined ? 'Add rule' : 'Change rule'}
        onSend={(values) => send(() => save(values))}
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
            <Area key={name} rows={1} {...field(`match.${name}`, fieldNames[name] ?? name)} />
          ))}
        </div>
        <p class="hint">
          One pattern per line; one of them must match. <code>*</code> stands for any characters. An
          empty field matches everything.
        </p>
        <div class="columns">
          {action === 'payment.send' && (
            <Field
              inputMode="decimal"
              {...field('when.maxUsd', 'At most, in US dollars each', 'Such as 0.50.')}
            />
          )}
          {then !== 'deny' && (
            <Field
              inputMode="numeric"
              {...field(
                'when.perDay',
                'Times a day',
                'In a UTC day. Further ones go to the next rule.',
              )}
            />
          )}
          <Field {...field('when.hours.from', 'From', 'Such as 09:00.')} />
          <Field {...field('when.hours.to', 'Until', 'Such as 18:00.')} />
          <Field {...field('when.hours.timezone', 'Time zone', 'Such as Europe/Berlin.')} />
        </div>
      </Form>
    </div>
  )
}
