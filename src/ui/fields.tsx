'use client'
import { type ReactNode, useId } from 'react'
import { useTranslations } from 'use-intl/react'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'

type Common = {
  label: ReactNode
  /** Shown below the field; replaced by the error. */
  hint?: ReactNode
  error?: ReactNode
  required?: boolean
  disabled?: boolean
  name?: string
}

const CONTROL =
  'w-full rounded border border-line-strong/70 bg-surface px-2.5 text-base text-ink transition-colors hover:border-line-strong aria-invalid:border-failed disabled:opacity-60'

type FrameProps = Common & {
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** Label above, control, then hint or error tied to it. */
function Field({ label, hint, error, required, children }: FrameProps) {
  const id = useId()
  const t = useTranslations('ui')
  const note = error ?? hint
  return (
    <div className="mt-3 first:mt-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium text-ink">
        {label}
        {required ? <span className="ml-1.5 font-normal text-ink-3">{t('required')}</span> : null}
      </label>
      {children({
        id,
        ...(note ? { 'aria-describedby': `${id}-note` } : {}),
        ...(error ? { 'aria-invalid': true } : {}),
      })}
      {note ? (
        <p id={`${id}-note`} className={cx('mt-1 text-sm', error ? 'text-failed' : 'text-ink-3')}>
          {note}
        </p>
      ) : null}
    </div>
  )
}

type TextProps = Common & {
  value: string
  onChange: (value: string) => void
  placeholder?: string
  maxLength?: number
  autoFocus?: boolean
  mono?: boolean
  type?: 'text' | 'password' | 'search' | 'number' | 'url' | 'datetime-local'
  autoComplete?: string
}

/** One line of text. */
export function TextField(props: TextProps) {
  const { value, onChange, type = 'text', mono } = props
  return (
    <Field {...props}>
      {(ids) => (
        <input
          {...ids}
          {...attributes(props)}
          type={type}
          autoComplete={props.autoComplete ?? 'off'}
          className={cx(CONTROL, 'h-8 pointer-coarse:h-11', mono && 'font-mono text-sm')}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

/** Several lines of text; grows with what is written where the browser can. */
export function TextArea(props: TextProps & { rows?: number }) {
  const { value, onChange, rows = 4, mono } = props
  return (
    <Field {...props}>
      {(ids) => (
        <textarea
          {...ids}
          {...attributes(props)}
          rows={rows}
          className={cx(
            CONTROL,
            'field-sizing-content max-h-[40dvh] min-h-16 resize-y py-1.5',
            mono && 'font-mono text-sm',
          )}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

const attributes = ({ name, required, disabled, placeholder, maxLength, autoFocus }: TextProps) => ({
  name,
  required,
  disabled,
  placeholder,
  maxLength,
  'data-autofocus': autoFocus || undefined,
})

export type Option = { value: string; label: string; disabled?: boolean }

type SelectProps = Common & {
  value: string
  onChange: (value: string) => void
  options: readonly Option[]
  autoFocus?: boolean
}

/** One of several; the browser's own list, which every reader and every phone knows. */
export function SelectField(props: SelectProps) {
  const { value, onChange, options, disabled, name, required, autoFocus } = props
  return (
    <Field {...props}>
      {(ids) => (
        <span className="relative block">
          <select
            {...ids}
            name={name}
            required={required}
            disabled={disabled}
            data-autofocus={autoFocus || undefined}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className={cx(CONTROL, 'h-8 appearance-none pr-8 pointer-coarse:h-11')}
          >
            {options.map((o) => (
              <option key={o.value} value={o.value} disabled={o.disabled}>
                {o.label}
              </option>
            ))}
          </select>
          <Icon
            name="chevron-down"
            className="pointer-events-none absolute right-2 top-1/2 size-4 -translate-y-1/2 text-ink-3"
          />
        </span>
      )}
    </Field>
  )
}

type CheckboxProps = {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}

/** Yes or no, with its words beside it. */
export function Checkbox({ label, hint, checked, onChange, disabled }: CheckboxProps) {
  const id = useId()
  return (
    <div className="mt-3 flex items-start gap-2.5 first:mt-0">
      <span className="flex h-5.5 items-center">
        <CheckMark id={id} checked={checked} onChange={onChange} disabled={disabled ?? false} />
      </span>
      <label htmlFor={id}>
        <span className="block text-base text-ink">{label}</span>
        {hint ? <span className="block text-sm text-ink-3">{hint}</span> : null}
      </label>
    </div>
  )
}

type MarkProps = {
  id?: string
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  label?: string
}

/** The box alone, for rows; `label` is its accessible name where there is no visible label. */
export function CheckMark({ id, checked, onChange, disabled = false, label }: MarkProps) {
  return (
    <span className="relative inline-grid size-4 shrink-0 align-middle">
      <input
        type="checkbox"
        id={id}
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="peer size-4 appearance-none rounded-[4px] border border-line-strong bg-surface checked:border-accent checked:bg-accent disabled:opacity-60"
      />
      <Icon
        name="check"
        className="pointer-events-none absolute inset-0 m-auto hidden size-3 stroke-[3.5] text-on-accent peer-checked:block"
      />
    </span>
  )
}
