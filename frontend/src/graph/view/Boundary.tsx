// Catches errors of the editor: unsaved changes are in the journal, and the editor can continue.

import { Component, type ReactNode } from "react";
import { t } from "../texts";

interface Props {
  readonly children: ReactNode;
  readonly onAgain: () => void;
}

export class Boundary extends Component<Props, { readonly failure: string | null }> {
  override state = { failure: null };

  static getDerivedStateFromError(error: unknown): { failure: string } {
    return { failure: error instanceof Error ? error.message : String(error) };
  }

  again = (): void => {
    this.props.onAgain();
    this.setState({ failure: null });
  };

  override render(): ReactNode {
    if (this.state.failure === null) return this.props.children;
    return (
      <div className="editor-failed" role="alert">
        <p>{t("The editor ran into an error. Nothing is lost.")}</p>
        <pre>{this.state.failure}</pre>
        <button type="button" className="btn btn-primary" onClick={this.again}>
          {t("Continue")}
        </button>
      </div>
    );
  }
}
