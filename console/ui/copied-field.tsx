import { Copy } from './copy.tsx'
import { Field } from './field.tsx'
import './copied-field.css'

/**
 * A text that the user copies.
 * @param action the label of the button
 */
export function CopiedField({
  label,
  value,
  action,
}: {
  label: string
  value: string
  action?: string | undefined
}) {
  return (
    <div class="secret">
      <Field label={label} value={value} readOnly />
      <Copy text={value} label={action} />
    </div>
  )
}
