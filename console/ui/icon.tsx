import sprite from './icons.svg'

export type IconName =
  | 'mark'
  | 'home'
  | 'agent'
  | 'key'
  | 'card'
  | 'person'
  | 'plus'
  | 'play'
  | 'stop'
  | 'restart'
  | 'repair'
  | 'send'
  | 'pause'
  | 'down'
  | 'copy'
  | 'search'
  | 'theme'
  | 'alert'
  | 'check'
  | 'clock'
  | 'note'
  | 'chart'
  | 'graph'

/** A decorative icon. Text beside it, or the label of its control, has the meaning. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true" focusable="false">
      <use href={`${sprite}#${name}`} />
    </svg>
  )
}
