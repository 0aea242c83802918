import './checks.css'

interface ChecksProps<Value extends string> {
  legend: string
  options: readonly { value: Value; label: string }[]
  chosen: readonly Value[]
  onChange(chosen: Value[]): void
}

/** A group of checkboxes. The chosen values keep the order of the options. */
export function Checks<Value extends string>({
  legend,
  options,
  chosen,
  onChange,
}: ChecksProps<Value>) {
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {options.map(({ value, label }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
