// The command palette; loaded when it is opened for the first time.
import { Command } from "cmdk";
import { useLocation, useNavigate } from "react-router";
import { inOrganization } from "./kit.jsx";

export default function Palette({ open, onOpenChange, label, placeholder, nothing, groups }) {
  const navigate = useNavigate();
  const { search } = useLocation();
  function run({ href, act }) {
    onOpenChange(false);
    if (href) navigate(inOrganization(href, search));
    else act();
  }
  return (
    <Command.Dialog
      open={open}
      onOpenChange={onOpenChange}
      label={label}
      loop
      overlayClassName="scrim"
      contentClassName="pop palette"
    >
      <Command.Input className="palette-in" placeholder={placeholder} />
      <Command.List className="palette-list">
        <Command.Empty className="palette-empty sec">{nothing}</Command.Empty>
        {groups.map(
          ({ heading, items }) =>
            items.length > 0 && (
              <Command.Group key={heading} heading={heading}>
                {items.map((item) => (
                  <Command.Item
                    key={item.href ?? item.label}
                    value={`${heading} ${item.label} ${item.href ?? ""}`}
                    onSelect={() => run(item)}
                  >
                    {item.icon}
                    <span className="grow cut">{item.label}</span>
                    {item.keys && <kbd>{item.keys}</kbd>}
                  </Command.Item>
                ))}
              </Command.Group>
            ),
        )}
      </Command.List>
    </Command.Dialog>
  );
}
