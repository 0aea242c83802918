import { plural } from '../../../base/words.ts'
import { Copy } from '../../../ui/copy.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { turnCost, type Prices } from './cost.ts'
import { isUnderWay, type Turn } from './turn.ts'

interface TurnViewProps {
  turn: Turn
  prices: Prices
  /** Sends the same message again. Undefined if other turns followed. */
  onRetry: (() => void) | undefined
}

/** A message and its answer, with model, tokens and cost. */
export function TurnView({ turn, prices, onRetry }: TurnViewProps) {
  const { question, answer, state, error } = turn
  const isStreaming = isUnderWay(turn)
  const isWithout = onRetry !== undefined && (state === 'failed' || state === 'unanswered')
  return (
    <>
      {question !== '' && (
        <div class="turn" data-from="user">
          <span class="visually-hidden">You: </span>
          {question}
        </div>
      )}
      {answer !== '' && (
        <div class="turn" data-from="agent">
          <span class="visually-hidden">Agent: </span>
          <Markdown text={answer} streaming={isStreaming} />
        </div>
      )}
      <Fault error={error} />
      {!isStreaming && (
        <div class="turn-end">
          {state === 'stopped' && <span>Stopped</span>}
          {state === 'unanswered' && onRetry !== undefined && <span>No answer came.</span>}
          <Took turn={turn} prices={prices} />
          {answer !== '' && <Copy text={answer} label="Copy answer" />}
          {(isWithout || (state === 'stopped' && onRetry !== undefined)) && (
            <button type="button" class="button small quiet" onClick={onRetry}>
              <Icon name="restart" />
              Retry
            </button>
          )}
        </div>
      )}
    </>
  )
}

/** The model, the tokens and the cost of an answer, if known. */
function Took({ turn: { model, usage }, prices }: { turn: Turn; prices: Prices }) {
  const cost = turnCost(prices, model, usage)
  return (
    <>
      {model !== null && <span>{model}</span>}
      {usage !== null && (
        <span
          title={`${usage.prompt_tokens} prompt tokens, ${usage.completion_tokens} completion tokens`}
        >
          {plural(usage.total_tokens, 'token')}
        </span>
      )}
      {cost !== undefined && <span>{cost}</span>}
    </>
  )
}
