import './segments.css'

interface SegmentsProps<Value extends string> {
  /** The label for screen readers. */
  label: string
  name: string
  options: readonly { value: Value; label: string }[]
  chosen: Value
  onChoose(value: Value): void
}

/** A choice of a few options side by side. They are radio buttons, so that arrow keys work. */
export function Segments<Value extends string>({
  label,
  name,
  options,
  chosen,
  onChoose,
}: SegmentsProps<Value>) {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === chosen}
            onChange={() => onChoose(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  )
}
